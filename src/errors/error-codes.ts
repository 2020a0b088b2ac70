import type { Explanation } from './explanation.js';

export type Operation = 'submit' | 'status' | 'taxpayer' | 'cancel' | 'live' | 'ready';

export interface ErrorCodeEntry extends Explanation {
  readonly status: number;
  /** Absent for what every call can meet. */
  readonly operations?: readonly Operation[];
}

const CALLER = { actor: 'caller', resubmit: true } as const;
const OPERATOR = { actor: 'operator', resubmit: true } as const;
const SPENDING = ['submit', 'cancel'] as const;

/**
 * The `code` of every error answer (docs/rules.md#error-responses), with what it means: the docs, the API description
 * and the type of the codes in the program are all made from this one table. `resubmit` is said of the same request,
 * mended.
 */
export const ERROR_CODES = {
  validation_failed: {
    ...CALLER,
    status: 400,
    operations: ['submit', 'cancel', 'taxpayer'],
    meaning: 'The request breaks rules; `details` lists every one of them.',
    action: 'Correct what `details` points to. Nothing was stored, so the same idempotency-key may be used.',
  },
  malformed_json: {
    ...CALLER,
    status: 400,
    operations: SPENDING,
    meaning: 'The body is not JSON.',
    action: 'Send one JSON object in UTF-8.',
  },
  idempotency_key_invalid: {
    ...CALLER,
    status: 400,
    operations: SPENDING,
    meaning: 'The header idempotency-key is missing, there twice, too long or not visible ASCII.',
    action: 'Send it once, with 1 to 255 visible ASCII characters, a new one for every new request.',
  },
  supplier_profile_incomplete: {
    ...OPERATOR,
    status: 400,
    operations: ['submit', 'cancel', 'taxpayer'],
    meaning: "The organisation's supplier profile lacks what `missing` names.",
    action: 'Ask the operator of this service to complete the profile.',
  },
  supplier_not_verified: {
    ...OPERATOR,
    status: 400,
    operations: ['submit', 'taxpayer'],
    meaning: 'The organisation is not verified for its TIN in this environment; `verification` says where it stands.',
    action: 'Finish onboarding in the dashboard, or ask the operator of this service to verify the organisation.',
  },
  submission_batch_id_invalid: {
    ...CALLER,
    status: 400,
    operations: ['status'],
    meaning: 'The submissionBatchId is not a UUID.',
    action: 'Ask with the submissionBatchId from the answer of submit.',
  },
  taxpayer_id_required: {
    ...CALLER,
    status: 400,
    operations: ['taxpayer'],
    meaning: 'The authority checks a TIN only together with an id, and no document of yours names one for this TIN.',
    action: 'Add the query parameters idType and idValue.',
  },
  bad_request: {
    ...CALLER,
    status: 400,
    meaning: 'The request cannot be read.',
    action: 'Correct what the message names.',
  },
  malformed_request: {
    ...CALLER,
    status: 400,
    meaning: 'The request is not valid HTTP.',
    action: 'Use an HTTP client as it is meant to be used.',
  },
  malformed_uri: {
    ...CALLER,
    status: 400,
    meaning: 'The address is not correctly percent-encoded UTF-8.',
    action: 'Encode the address.',
  },
  api_key_missing: {
    ...CALLER,
    status: 401,
    meaning: 'The request carries no API key.',
    action: 'Send the key as `X-API-Key`, or as `Authorization: Bearer`.',
  },
  api_key_invalid: {
    ...CALLER,
    status: 401,
    meaning: 'The API key is not known, or two different ones were sent.',
    action: 'Send one key, complete, as it was shown when it was made.',
  },
  api_key_expired: {
    ...OPERATOR,
    status: 401,
    meaning: 'The API key has expired.',
    action: 'Ask the operator of this service for a new one.',
  },
  api_key_revoked: {
    ...OPERATOR,
    status: 401,
    meaning: 'The API key was revoked.',
    action: 'Ask the operator of this service for a new one.',
  },
  api_key_wrong_environment: {
    ...CALLER,
    status: 401,
    meaning: 'The API key is of an environment that is not served here.',
    action: 'Use a key of this environment, or the address of the other one.',
  },
  insufficient_credits: {
    ...CALLER,
    status: 402,
    operations: SPENDING,
    meaning: 'There are fewer prepaid credits than the call needs; nothing was queued.',
    action: 'Buy the credits that `shortBy` names, or send fewer documents.',
  },
  document_not_found: {
    ...CALLER,
    status: 404,
    operations: ['cancel'],
    meaning: 'There is no such document for this key.',
    action: 'Send a documentId from the answer of submit, with a key of the same environment.',
  },
  submission_batch_not_found: {
    ...CALLER,
    status: 404,
    operations: ['status'],
    meaning: 'There is no such batch for this key.',
    action: 'Ask with the submissionBatchId from the answer of submit, and a key of the same environment.',
  },
  route_not_found: {
    ...CALLER,
    status: 404,
    meaning: 'There is no such address.',
    action: 'Compare the address with the API description.',
  },
  method_not_allowed: {
    ...CALLER,
    status: 405,
    meaning: 'The address does not know this method.',
    action: 'Compare the method with the API description.',
  },
  request_timeout: {
    ...CALLER,
    status: 408,
    meaning: 'The request did not arrive completely in time, or a body over 256 KB stopped arriving.',
    action: 'Send it again, with the same idempotency-key.',
  },
  duplicate_document: {
    status: 409,
    operations: ['submit'],
    meaning: 'A document of this type and number exists and cannot be submitted again; nothing of the batch was taken.',
    action: 'Follow the existing ones, each named in `details` with its batch, and take them out of the request.',
    actor: 'caller',
    resubmit: false,
  },
  idempotency_key_reused: {
    ...CALLER,
    status: 409,
    operations: SPENDING,
    meaning: 'The idempotency-key was used with a different body.',
    action: 'Use a new key for a changed request.',
  },
  idempotency_key_in_progress: {
    ...CALLER,
    status: 409,
    operations: SPENDING,
    meaning: 'A request with this idempotency-key is being processed.',
    action: 'Repeat it after `Retry-After`, with the same key and body.',
  },
  document_not_valid: {
    ...CALLER,
    status: 409,
    operations: ['cancel'],
    meaning: 'Only a document that is Valid at the authority can be cancelled; `authorityStatus` says what it is.',
    action: 'Wait until it is Valid; a document that was never valid needs no cancellation.',
  },
  cancellation_in_progress: {
    status: 409,
    operations: ['cancel'],
    meaning: 'A cancellation of this document is on its way already.',
    action: 'Follow it in the status of its batch.',
    actor: 'caller',
    resubmit: false,
  },
  cancellation_window_closed: {
    status: 409,
    operations: ['cancel'],
    meaning: 'The 72 hours from validation in which a document can be cancelled are over.',
    action: 'Issue a credit note that refers to the document.',
    actor: 'caller',
    resubmit: false,
  },
  active_referencing_documents: {
    ...CALLER,
    status: 409,
    operations: ['cancel'],
    meaning: 'A live credit note refers to the document; `referencingDocuments` names it.',
    action: 'Cancel the credit note first.',
  },
  body_too_large: {
    ...CALLER,
    status: 413,
    operations: SPENDING,
    meaning: 'The body is over 10 MB.',
    action: 'Send fewer documents in each request.',
  },
  uri_too_long: {
    ...CALLER,
    status: 414,
    meaning: 'The address is too long.',
    action: 'Compare the address with the API description.',
  },
  unsupported_media_type: {
    ...CALLER,
    status: 415,
    operations: SPENDING,
    meaning: 'The body is not sent as JSON.',
    action: 'Send `Content-Type: application/json`.',
  },
  headers_too_large: {
    ...CALLER,
    status: 431,
    meaning: 'The address and headers are too long.',
    action: 'Send fewer or shorter headers.',
  },
  large_body_share_exceeded: {
    ...CALLER,
    status: 429,
    operations: SPENDING,
    meaning: 'The organisation has its share of large bodies, 16 MB of those over 256 KB, under way already.',
    action:
      'Wait for their responses, then repeat with the same idempotency-key and body. A body of at most 256 KB is ' +
      'never refused so.',
  },
  internal_error: {
    ...OPERATOR,
    status: 500,
    meaning: 'The service failed.',
    action: 'Repeat later with the same idempotency-key and body; if it stays, quote `requestId` to the operator.',
  },
  service_unavailable: {
    ...OPERATOR,
    status: 503,
    meaning:
      "The service cannot reach its database, the database's disk is full, or this process is stopping; nothing was decided.",
    action: 'Repeat after `Retry-After`, with the same idempotency-key and body.',
  },
  too_many_large_bodies: {
    ...CALLER,
    status: 503,
    operations: SPENDING,
    meaning: 'Too many large bodies of all organisations arrive at the same time; this one was refused.',
    action:
      'Repeat after `Retry-After`, with the same idempotency-key and body. A body of at most 256 KB is never refused so.',
  },
  not_appointed: {
    ...CALLER,
    status: 503,
    operations: ['taxpayer'],
    meaning:
      'The authority lets this service ask nothing on behalf of the organisation; there is no verdict on the TIN.',
    action: "Appoint this service as intermediary in the authority's taxpayer portal, then repeat.",
  },
  call_budget: {
    ...CALLER,
    status: 503,
    operations: ['taxpayer'],
    meaning: "The authority's limit of TIN checks is used up; there is no verdict on the TIN.",
    action: 'Repeat after `Retry-After`.',
  },
  authority_unavailable: {
    status: 503,
    operations: ['taxpayer'],
    meaning: 'The authority does not answer; there is no verdict on the TIN.',
    action: 'Repeat after `Retry-After`.',
    actor: 'authority',
    resubmit: true,
  },
  database_unavailable: {
    ...OPERATOR,
    status: 503,
    operations: ['ready'],
    meaning: 'The database does not answer.',
    action: 'Look at the database and the network between.',
  },
  disk_full: {
    ...OPERATOR,
    status: 503,
    operations: ['ready'],
    meaning: 'The database has no room on its disk: it answers reads, and every write may fail.',
    action: 'Make room on the disk of the database; it goes on by itself.',
  },
  migrations_missing: {
    ...OPERATOR,
    status: 503,
    operations: ['ready'],
    meaning: 'The database lacks migrations of this version.',
    action: 'Run `npm run migrate`.',
  },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;
