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
      'Correct the fields and query parameters listed in `details`. You can reuse the idempotency-key, because the request was not stored.',
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
    meaning: 'The idempotency-key header is missing, sent twice, too long or not visible ASCII.',
    action: 'Send the header once, with 1 to 255 visible ASCII characters. Use a new key for each new request.',
  },
  supplier_profile_incomplete: {
    ...OPERATOR,
    status: 400,
    operations: ['submit', 'dryRun', 'cancel', 'taxpayer'],
    meaning: "The organisation's supplier profile lacks the fields listed in `missing`.",
    action: 'Complete the profile in the dashboard, or ask the operator of this service to complete it.',
  },
  supplier_not_verified: {
    ...OPERATOR,
    status: 400,
    operations: ['submit', 'dryRun', 'taxpayer'],
    meaning: 'The organisation is not verified for its TIN in this environment; `verification` contains the state.',
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
    meaning: 'The authority checks a TIN only with an id number, and your documents contain no id for this TIN.',
    action: 'Add the query parameters idType and idValue.',
  },
  bad_request: {
    ...CALLER,
    status: 400,
    meaning: 'The request cannot be read.',
    action: 'Correct the part that the message mentions.',
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
    meaning: 'The request has no API key.',
    action: 'Send the key as `X-API-Key`, or as `Authorization: Bearer`.',
  },
  api_key_invalid: {
    ...CALLER,
    status: 401,
    meaning: 'The API key is unknown, or the request has two different keys.',
    action: 'Send one complete key, exactly as it was shown when you created it.',
  },
  api_key_expired: {
    ...OPERATOR,
    status: 401,
    meaning: 'The API key has expired.',
    action: 'Create a new key in the dashboard, or ask the operator of this service for one.',
  },
  api_key_revoked: {
    ...OPERATOR,
    status: 401,
    meaning: 'The API key was revoked.',
    action: 'Create a new key in the dashboard, or ask the operator of this service for one.',
  },
  api_key_wrong_environment: {
    ...CALLER,
    status: 401,
    meaning: 'This address does not serve the environment of the API key.',
    action: "Use a key for this environment, or the address of the key's environment.",
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
    action: 'Use a method listed in the `Allow` header of the response.',
  },
  request_timeout: {
    ...CALLER,
    status: 408,
    meaning: 'The request did not arrive completely within 30 seconds.',
    action: 'Send the request again with the same idempotency-key.',
  },
  duplicate_document: {
    status: 409,
    operations: ['submit', 'dryRun'],
    meaning: 'A document of this type and number exists and cannot be submitted again; the batch was not accepted.',
    action:
      'Poll the batches of the existing documents listed in `details`, and remove these documents from the request. If a document is a different one, give it another number.',
    actor: 'caller',
    resubmit: false,
  },
  idempotency_key_reused: {
    ...CALLER,
    status: 409,
    operations: SPENDING,
    meaning: 'The idempotency-key was used with a different body.',
    action: 'Use a new key for a new or corrected request. To retry the earlier request, send its original body.',
  },
  idempotency_key_in_progress: {
    ...CALLER,
    status: 409,
    operations: SPENDING,
    meaning: 'A request with this idempotency-key is being processed.',
    action: 'Retry after `Retry-After` with the same key and body.',
  },
  document_not_valid: {
    ...CALLER,
    status: 409,
    operations: ['cancel'],
    meaning: 'Only a document that is Valid at the authority can be cancelled; `authorityStatus` has its status.',
    action: 'Wait until the document is Valid. A document that never becomes Valid does not need a cancellation.',
  },
  cancellation_in_progress: {
    status: 409,
    operations: ['cancel'],
    meaning: 'A cancellation of this document is already in progress.',
    action: "Poll the document's batch for the outcome of the cancellation.",
    actor: 'caller',
    resubmit: false,
  },
  cancellation_window_closed: {
    status: 409,
    operations: ['cancel'],
    meaning: 'The document was validated more than 72 hours ago and can no longer be cancelled.',
    action: 'Correct an invoice with a credit note that references it, and a credit note with a new invoice.',
    actor: 'caller',
    resubmit: false,
  },
  active_referencing_documents: {
    ...CALLER,
    status: 409,
    operations: ['cancel'],
    meaning: 'An active credit note references the document; `referencingDocuments` lists it.',
    action: 'Cancel the credit note first. When its cancellation is complete, cancel the document.',
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
    meaning: "The organisation's requests in progress already use its 16 MB share for bodies over 256 KB.",
    action:
      'Wait for the responses to these requests, then retry with the same idempotency-key and body. The limit does not ' +
      'apply to bodies up to 256 KB.',
  },
  rate_limited: {
    ...CALLER,
    status: 429,
    meaning: 'The request exceeds the rate limit that the message states, and was not read.',
    action:
      'Retry after `Retry-After` with the same idempotency-key and body. `RateLimit` contains the remaining requests.',
  },
  too_many_concurrent_requests: {
    ...CALLER,
    status: 429,
    operations: ['submit', 'dryRun', 'status', 'taxpayer', 'cancel'],
    meaning: 'The organisation has more requests in progress than its share of this process allows.',
    action: 'Retry after `Retry-After` with the same idempotency-key and body, and send fewer requests in parallel.',
  },
  internal_error: {
    ...OPERATOR,
    status: 500,
    meaning: 'The service failed.',
    action:
      'Retry later with the same idempotency-key and body. If the error persists, send `requestId` to the operator of this service.',
  },
  service_unavailable: {
    ...OPERATOR,
    status: 503,
    meaning:
      'The service cannot reach its database, its disk is full, or this process is stopping; the request was not processed.',
    action: 'Retry after `Retry-After` with the same idempotency-key and body.',
  },
  too_many_large_bodies: {
    ...CALLER,
    status: 503,
    operations: WITH_BODY,
    meaning: 'The memory reserved for large bodies is full.',
    action: 'Retry after `Retry-After` with the same idempotency-key and body. Bodies up to 256 KB are not limited.',
  },
  large_body_not_processed: {
    ...CALLER,
    status: 503,
    operations: ['submit', 'dryRun'],
    meaning: 'The service ran out of time or memory for a body over 256 KB; the request was not stored or charged.',
    action: 'Retry after `Retry-After` with the same idempotency-key and body, or send fewer documents per request.',
  },
  not_appointed: {
    ...CALLER,
    status: 503,
    operations: ['taxpayer'],
    meaning: 'The authority does not let this service act for the organisation; there is no verdict on the TIN.',
    action: "Appoint this service as intermediary in the authority's taxpayer portal, then retry.",
  },
  call_budget: {
    ...CALLER,
    status: 503,
    operations: ['taxpayer'],
    meaning:
      "The authority's limit of TIN checks, or the organisation's share of it, is used up; there is no verdict on the TIN.",
    action: 'Retry after `Retry-After`.',
  },
  authority_unavailable: {
    status: 503,
    operations: ['taxpayer'],
    meaning: 'The authority does not respond; there is no verdict on the TIN.',
    action: 'Retry after `Retry-After`.',
    actor: 'authority',
    resubmit: true,
  },
  ...READINESS_ERROR_CODES,
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;
