import { ApiError, type ErrorHeaders } from './api-error.js';

interface DashboardErrorEntry {
  readonly status: number;
  readonly message: string;
}

/** Error codes used only by the dashboard's API. Those of the public API are in error-codes.ts. */
export const DASHBOARD_ERRORS = {
  session_required: { status: 401, message: 'You are not signed in, or your session has ended: sign in again' },
  sign_in_refused: { status: 401, message: 'The e-mail address or the password is wrong' },
  csrf_token_wrong: {
    status: 403,
    message: 'This page is older than your session, so the change was not made: reload the page and try again',
  },
  role_too_low: { status: 403, message: 'Your role in this organisation does not allow this: ask one of its owners' },
  operators_only: { status: 403, message: 'Only operators of this service may do this' },
  own_order: {
    status: 403,
    message:
      'You placed this order, belong to this organisation, or have left it since the order: another operator must confirm its payment',
  },
  organisation_not_found: { status: 404, message: 'There is no such organisation, or you are not a member of it' },
  environment_not_served: { status: 404, message: 'This service does not serve that environment' },
  not_found_here: { status: 404, message: 'This organisation has nothing with this id' },
  invitation_not_found: {
    status: 404,
    message: 'This invitation is no longer valid: ask for a new one',
  },
  invitation_for_another: {
    status: 403,
    message: 'This invitation is for another e-mail address: sign out, and sign in with that one',
  },
  password_link_not_found: {
    status: 404,
    message: 'This link is no longer valid: ask an operator of this service for a new one',
  },
  already_member: { status: 409, message: 'This person is already a member of the organisation' },
  last_owner: {
    status: 409,
    message: 'This is the last owner, and an organisation needs one: make another member an owner first',
  },
  member_keys_undecided: {
    status: 409,
    message: 'This member made API keys that still work: choose whether to keep or revoke them',
  },
  state_conflict: { status: 409, message: 'This is not possible in its present state: reload the page' },
  too_many_attempts: { status: 429, message: 'Too many attempts: wait before the next one' },
  tin_changes_used_up: {
    status: 429,
    message: 'The TIN was changed too often today: change it again tomorrow, or save the other fields without it',
  },
  operator_pages_off: {
    status: 503,
    message: 'The operators’ pages are off: set DATABASE_OPERATOR_URL for the API and start it again',
  },
} as const satisfies Readonly<Record<string, DashboardErrorEntry>>;

export type DashboardErrorCode = keyof typeof DASHBOARD_ERRORS;

interface ErrorDetails {
  readonly message?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly headers?: ErrorHeaders;
}

export class DashboardError extends ApiError {
  readonly status: number;
  override readonly headers: ErrorHeaders;
  private readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: DashboardErrorCode,
    { message = DASHBOARD_ERRORS[code].message, facts = {}, headers = {} }: ErrorDetails = {},
  ) {
    super(message);
    this.status = DASHBOARD_ERRORS[code].status;
    this.facts = facts;
    this.headers = headers;
  }

  override details(): Record<string, unknown> {
    return this.facts;
  }
}

/** 409: the document has changed since the caller read it. Applies only to callers that send the state they read. */
export class DocumentChangedError extends DashboardError {
  constructor() {
    super('state_conflict', { message: 'This document was submitted again meanwhile: see its latest attempt' });
  }
}
