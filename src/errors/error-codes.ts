import type { ErrorCodeEntry } from './explanation.js';
import { READINESS_ERROR_CODES } from './readiness-error-codes.js';

const CALLER = { actor: 'caller', resubmit: true } as const;
const OPERATOR = { actor: 'operator', resubmit: true } as const;
const SPENDING = ['submit', 'cancel'] as const;
const WITH_BODY = ['submit', 'dryRun', 'cancel'] as const;

/**
 * All error codes of the API (docs/rules.md#error-responses). The docs, the API description and the type are generated
 * from this table. `resubmit` states whether to send the corrected request again.
 */
export const ERROR_CODES = {
  validation_failed: {
    ...CALLER,
    status: 400,
    meaning: 'The request breaks rules; `details` lists them.',
    action:
      'Correct the fields and query parameters that `details` points to. The request was not stored, so you can use the same idempotency-key.',
  },
  malformed_json: {
    ...CALLER,
    status: 400,
    operations: WITH_BODY,
    meaning: 'The body is not JSON.',
    action: 'Send one JSON object in UTF-8.',
  },
  idempotency_key_invalid: {
    ...CALLER,
    status: 400,
    operations: SPENDING,
    meaning: 'The header idempotency-key is missing, sent twice, too long or not visible ASCII.',
    action: 'Send it once, with 1 to 255 visible ASCII characters, a new one for every new request.',
  },
  supplier_profile_incomplete: {
    ...OPERATOR,
    status: 400,
    operations: ['submit', 'dryRun', 'cancel', 'taxpayer'],
    meaning: "The organisation's supplier profile lacks the fields that `missing` names.",
    action: 'Complete the profile in the dashboard, or ask the operator of this service to complete it.',
  },
  supplier_not_verified: {
    ...OPERATOR,
    status: 400,
    operations: ['submit', 'dryRun', 'taxpayer'],
    meaning: 'The organisation is not verified for its TIN in this environment; `verification` has its state.',
    action: 'Finish onboarding in the dashboard, or ask the operator of this service to verify the organisation.',
  },
  submission_batch_id_invalid: {
    ...CALLER,
    status: 400,
    operations: ['status'],
    meaning: 'The submissionBatchId is not a UUID.',
    action: 'Send the submissionBatchId from the response of submit.',
  },
  taxpayer_id_required: {
    ...CALLER,
    status: 400,
    operations: ['taxpayer'],
    meaning: 'The authority checks a TIN only together with an id, and none of your documents has an id for this TIN.',
    action: 'Add the query parameters idType and idValue.',
  },
  bad_request: {
    ...CALLER,
    status: 400,
    meaning: 'The request cannot be read.',
    action: 'Correct the part that the message names.',
  },
  malformed_request: {
    ...CALLER,
    status: 400,
    meaning: 'The request is not valid HTTP.',
    action: 'Send the request with a standard HTTP client.',
  },
  malformed_uri: {
    ...CALLER,
    status: 400,
    meaning: 'The address is not correctly percent-encoded UTF-8.',
    action: 'Percent-encode the address.',
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
    meaning: 'The API key is unknown, or the request has two different keys.',
    action: 'Send one key, complete, as it was shown when it was created.',
  },
  api_key_expired: {
    ...OPERATOR,
    status: 401,
    meaning: 'The API key has expired.',
    action: 'Make a new one in the dashboard, or ask the operator of this service for one.',
  },
  api_key_revoked: {
    ...OPERATOR,
    status: 401,
    meaning: 'The API key was revoked.',
    action: 'Make a new one in the dashboard, or ask the operator of this service for one.',
  },
  api_key_wrong_environment: {
    ...CALLER,
    status: 401,
    meaning: 'The API key is for an environment that this address does not serve.',
    action: 'Use a key of this environment, or the address of the other one.',
  },
  insufficient_credits: {
    ...CALLER,
    status: 402,
    operations: WITH_BODY,
    meaning: 'The organisation has fewer prepaid credits than the request costs; the request was not accepted.',
    action: 'Buy the number of credits in `shortBy`, or send fewer documents.',
  },
  document_not_found: {
    ...CALLER,
    status: 404,
    operations: ['cancel'],
    meaning: 'There is no such document for this key.',
    action: 'Send a documentId from the response of submit, with a key of the same environment.',
  },
  submission_batch_not_found: {
    ...CALLER,
    status: 404,
    operations: ['status'],
    meaning: 'There is no such batch for this key.',
    action: 'Send the submissionBatchId from the response of submit, with a key of the same environment.',
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
    meaning: 'The address does not accept this method.',
    action: 'Use a method that the `Allow` header of the response lists.',
  },
  request_timeout: {
    ...CALLER,
    status: 408,
    meaning: 'The request did not arrive completely within 30 seconds.',
    action: 'Send it again, with the same idempotency-key.',
  },
  duplicate_document: {
    status: 409,
    operations: ['submit', 'dryRun'],
    meaning: 'A document of this type and number exists and cannot be submitted again; the batch was not accepted.',
    action:
      'Follow the existing documents, listed in `details` with their batches, and remove them from the request; give a different document another number.',
    actor: 'caller',
    resubmit: false,
  },
  idempotency_key_reused: {
    ...CALLER,
    status: 409,
    operations: SPENDING,
    meaning: 'The idempotency-key was used with a different body.',
    action: 'Send a new or corrected request with a new key, and repeat the earlier one with its own body.',
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
    meaning: 'Only a document that is Valid at the authority can be cancelled; `authorityStatus` has its status.',
    action: 'Wait until it is Valid; a document that was never valid needs no cancellation.',
  },
  cancellation_in_progress: {
    status: 409,
    operations: ['cancel'],
    meaning: 'A cancellation of this document is already under way.',
    action: 'Follow it in the status of its batch.',
    actor: 'caller',
    resubmit: false,
  },
  cancellation_window_closed: {
    status: 409,
    operations: ['cancel'],
    meaning: 'The document was validated more than 72 hours ago and can no longer be cancelled.',
    action: 'Correct an invoice by a credit note that refers to it, and a credit note by a new invoice.',
    actor: 'caller',
    resubmit: false,
  },
  active_referencing_documents: {
    ...CALLER,
    status: 409,
    operations: ['cancel'],
    meaning: 'An active credit note refers to the document; `referencingDocuments` lists it.',
    action: 'Cancel the credit note first, and the document once that cancellation has succeeded.',
  },
  body_too_large: {
    ...CALLER,
    status: 413,
    operations: WITH_BODY,
    meaning: 'The body is over 10 MB, or over 256 KB for a cancel.',
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
    operations: WITH_BODY,
    meaning: 'The body is not sent as JSON, or is compressed.',
    action: 'Send the body uncompressed, with `Content-Type: application/json` and without `Content-Encoding`.',
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
    operations: WITH_BODY,
    meaning: 'The organisation already has its share of large bodies under way: 16 MB in bodies over 256 KB.',
    action:
      'Wait for their responses, then repeat with the same idempotency-key and body. The limit does not apply to ' +
      'bodies up to 256 KB.',
  },
  rate_limited: {
    ...CALLER,
    status: 429,
    meaning: 'A rate limit is used up; the message names it. The request was not read.',
    action:
      'Repeat after `Retry-After`, with the same idempotency-key and body. `RateLimit` states the remaining quota.',
  },
  too_many_concurrent_requests: {
    ...CALLER,
    status: 429,
    operations: ['submit', 'dryRun', 'status', 'taxpayer', 'cancel'],
    meaning: 'The organisation has more requests under way than its share of this process can serve.',
    action:
      'Repeat after `Retry-After`, with the same idempotency-key and body, and send fewer requests at the same time.',
  },
  internal_error: {
    ...OPERATOR,
    status: 500,
    meaning: 'The service failed.',
    action: 'Repeat later with the same idempotency-key and body; if it persists, send `requestId` to the operator.',
  },
  service_unavailable: {
    ...OPERATOR,
    status: 503,
    meaning:
      'The service cannot reach its database, its disk is full, or this process is stopping; the request was not processed.',
    action: 'Repeat after `Retry-After`, with the same idempotency-key and body.',
  },
  too_many_large_bodies: {
    ...CALLER,
    status: 503,
    operations: WITH_BODY,
    meaning: 'Large bodies of all organisations fill the memory reserved for them; this one was refused.',
    action: 'Repeat after `Retry-After`, with the same idempotency-key and body. Bodies up to 256 KB are not limited.',
  },
  large_body_not_processed: {
    ...CALLER,
    status: 503,
    operations: ['submit', 'dryRun'],
    meaning: 'The service ran out of time or memory for a body over 256 KB; the request was not stored or charged.',
    action: 'Repeat after `Retry-After`, with the same idempotency-key and body, or send fewer documents at a time.',
  },
  not_appointed: {
    ...CALLER,
    status: 503,
    operations: ['taxpayer'],
    meaning: 'The authority does not let this service act for the organisation; there is no verdict on the TIN.',
    action: "Appoint this service as intermediary in the authority's taxpayer portal, then repeat.",
  },
  call_budget: {
    ...CALLER,
    status: 503,
    operations: ['taxpayer'],
    meaning:
      "The authority's limit of TIN checks, or the organisation's share of it, is used up; there is no verdict on the TIN.",
    action: 'Repeat after `Retry-After`.',
  },
  authority_unavailable: {
    status: 503,
    operations: ['taxpayer'],
    meaning: 'The authority does not respond; there is no verdict on the TIN.',
    action: 'Repeat after `Retry-After`.',
    actor: 'authority',
    resubmit: true,
  },
  ...READINESS_ERROR_CODES,
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;
