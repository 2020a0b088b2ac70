import type { ReactNode } from 'react';
import type { Environment } from '../api/session';
import { type ErrorAction, findAction } from './error-actions';
import { ButtonLink } from './links';

/** Context of an error. Links that need a missing member are omitted. */
export interface ErrorScope {
  readonly tenantId?: string;
  readonly environment?: Environment;
  readonly transactionId?: string;
  readonly referenceId?: string;
}

const LOOKS = { size: 'xs', variant: 'default' } as const;

const LINKS: Readonly<Partial<Record<ErrorAction, (scope: ErrorScope) => ReactNode>>> = {
  profile: ({ tenantId }) =>
    tenantId !== undefined && (
      <ButtonLink {...LOOKS} to="/o/$tenantId/profile" params={{ tenantId }}>
        Open the profile
      </ButtonLink>
    ),
  getting_started: ({ tenantId }) =>
    tenantId !== undefined && (
      <ButtonLink {...LOOKS} to="/o/$tenantId/onboarding" params={{ tenantId }}>
        Open “Getting started”
      </ButtonLink>
    ),
  credits: ({ tenantId }) =>
    tenantId !== undefined && (
      <ButtonLink {...LOOKS} to="/o/$tenantId/credits" params={{ tenantId }}>
        Order credits
      </ButtonLink>
    ),
  same_number: ({ tenantId, environment, referenceId }) =>
    tenantId !== undefined &&
    environment !== undefined &&
    referenceId !== undefined && (
      <ButtonLink
        {...LOOKS}
        to="/o/$tenantId/$environment/transactions"
        params={{ tenantId, environment }}
        search={{ reference: referenceId }}
      >
        Show {referenceId} in the list
      </ButtonLink>
    ),
  credit_note: ({ tenantId, environment, transactionId }) =>
    tenantId !== undefined &&
    environment !== undefined &&
    transactionId !== undefined && (
      <ButtonLink
        {...LOOKS}
        to="/o/$tenantId/$environment/send"
        params={{ tenantId, environment }}
        search={{ creditNoteOf: transactionId }}
      >
        Make a credit note
      </ButtonLink>
    ),
};

/** Renders a button to the page where the error can be fixed, if any. */
export function ErrorLink({ code, scope }: { code: string; scope: ErrorScope }) {
  return LINKS[findAction(code)]?.(scope) || null;
}
