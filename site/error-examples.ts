import type { ErrorCode } from '../src/errors/error-codes.js';

export interface ExampleRequest {
  /** Method and address. */
  readonly line: string;
  /** Headers other than the API key and the content type. An empty value omits a header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings are sent unchanged. */
  readonly body?: object | string;
}

/** Request that causes an error, and the corrected request. */
export interface ErrorExample {
  /** Text that precedes the corrected request. */
  readonly context?: string;
  /** Requests that were accepted earlier. */
  readonly given?: readonly ExampleRequest[];
  readonly before: ExampleRequest;
  readonly after: ExampleRequest;
}

const SUBMIT = 'POST /api/v1/einvoice/submit';
const CANCEL = 'POST /api/v1/einvoice/cancel';
const STATUS = 'GET /api/v1/saas/submissions';
const TIN_CHECK = 'GET /api/v1/einvoice/validate-taxpayer-tin';
/** Id of the document and of its batch. */
export const EXAMPLE_ID = '019a8b5e-7c1f-7000-8000-000000000002';
export const NOTE_ID = '019a8b5e-7c1f-7000-8000-000000000005';

const DOCUMENT = {
  documentType: 'invoice',
  referenceId: 'POS-2026-01',
  document_date: '2026-01-31',
  lineItems: [{ description: 'Receipts 1 to 180', quantity: 1, unitPrice: 8450.75 }],
};

function toBody(...documents: object[]): object {
  return { submission_type: 'consolidated', documents };
}

function submit(body: object | string = toBody(DOCUMENT), headers: Record<string, string> = {}): ExampleRequest {
  return { line: SUBMIT, headers: { 'idempotency-key': 'month-2026-01', ...headers }, body };
}

function cancel(body: object = { documentId: EXAMPLE_ID, cancellationReason: 'Wrong month' }): ExampleRequest {
  return { line: CANCEL, headers: { 'idempotency-key': 'cancel-2026-01' }, body };
}

const READ_STATUS: ExampleRequest = { line: `${STATUS}/${EXAMPLE_ID}/status` };
const CHECK_TIN: ExampleRequest = { line: `${TIN_CHECK}/C9876543210?idType=BRN&idValue=202001234567` };
const READY: ExampleRequest = { line: 'GET /api/health/ready' };

/** Builds an example in which the client repeats a correct request after the cause of the error has ended. */
function repeat(context: string, request: ExampleRequest): ErrorExample {
  return { context, before: request, after: request };
}

function withKey(key: string): ExampleRequest {
  return { ...CHECK_TIN, headers: { 'X-API-Key': key } };
}

export const ERROR_EXAMPLES: Readonly<Record<ErrorCode, ErrorExample>> = {
  validation_failed: {
    before: submit(toBody({ ...DOCUMENT, document_date: '2026-02-30' })),
    after: submit(toBody({ ...DOCUMENT, document_date: '2026-02-28' })),
  },
  malformed_json: {
    before: submit("{ 'submission_type': 'consolidated' }"),
    after: submit(),
  },
  idempotency_key_invalid: {
    before: { ...submit(), headers: {} },
    after: submit(),
  },
  supplier_profile_incomplete: repeat('The operator completes the profile of the organisation.', submit()),
  supplier_not_verified: repeat('The organisation finishes its onboarding in the dashboard.', submit()),
  submission_batch_id_invalid: {
    context: 'The response of submit contains the id as `submissionBatchId`.',
    before: { line: `${STATUS}/POS-2026-01/status` },
    after: READ_STATUS,
  },
  taxpayer_id_required: {
    before: { line: `${TIN_CHECK}/C9876543210` },
    after: CHECK_TIN,
  },
  bad_request: repeat('The message names the part of the request that cannot be read.', submit()),
  malformed_request: {
    context: 'The request lacks the `Host` header, which HTTP requires.',
    before: { line: 'GET /api/health/live HTTP/1.1' },
    after: { line: 'GET /api/health/live HTTP/1.1', headers: { Host: 'einvoice.example' } },
  },
  malformed_uri: {
    before: { line: `${TIN_CHECK}/C98%7` },
    after: CHECK_TIN,
  },
  api_key_missing: {
    before: { ...CHECK_TIN, headers: { 'X-API-Key': '' } },
    after: CHECK_TIN,
  },
  api_key_invalid: {
    before: withKey('eisk_test_cut-off'),
    after: CHECK_TIN,
  },
  api_key_expired: repeat('The operator creates a new key, and you send it.', CHECK_TIN),
  api_key_revoked: repeat('The operator creates a new key, and you send it.', CHECK_TIN),
  api_key_wrong_environment: {
    context: 'This address serves the sandbox only.',
    before: withKey('eisk_live_…'),
    after: withKey('eisk_test_…'),
  },
  insufficient_credits: repeat('The organisation buys at least the credits in `shortBy`.', submit()),
  document_not_found: {
    context: 'The response of submit contains the id as `documentId`. The document number is not an id.',
    before: cancel({ documentId: '019a8b5e-7c1f-7000-8000-00000000ffff', cancellationReason: 'Wrong month' }),
    after: cancel(),
  },
  submission_batch_not_found: {
    context: 'The batch was submitted with a sandbox key and is read with a production key.',
    before: { ...READ_STATUS, headers: { 'X-API-Key': 'eisk_live_…' } },
    after: { ...READ_STATUS, headers: { 'X-API-Key': 'eisk_test_…' } },
  },
  route_not_found: {
    before: { ...submit(), line: 'POST /api/einvoice/submit' },
    after: submit(),
  },
  method_not_allowed: {
    context: 'The address does not accept this method. `Allow` lists the accepted methods.',
    before: { ...submit(), line: 'PUT /api/v1/einvoice/submit' },
    after: submit(),
  },
  request_timeout: repeat('The connection was too slow for the body. Retry, or send fewer documents.', submit()),
  duplicate_document: {
    context:
      'POS-2026-01 was submitted before. Read its status in the batch of the response. A new number would ' +
      'report the same sales twice.',
    before: submit(),
    after: READ_STATUS,
  },
  idempotency_key_reused: {
    given: [submit()],
    before: submit(toBody({ ...DOCUMENT, referenceId: 'POS-2026-02' })),
    after: submit(toBody({ ...DOCUMENT, referenceId: 'POS-2026-02' }), { 'idempotency-key': 'month-2026-02' }),
  },
  idempotency_key_in_progress: repeat(
    'The first request with the key has finished. The retry gets its response.',
    submit(),
  ),
  document_not_valid: repeat('The document has become `Valid`. An `Invalid` document needs no cancellation.', cancel()),
  cancellation_in_progress: {
    context: 'The cancellation is in progress. Read its result in the status of the batch.',
    before: cancel(),
    after: READ_STATUS,
  },
  cancellation_window_closed: {
    context: 'The document was validated more than 72 hours ago. Issue a credit note instead.',
    before: cancel(),
    after: submit(
      toBody({
        ...DOCUMENT,
        documentType: 'credit_note',
        referenceId: 'POS-CN-1',
        relatedInvoice: { referenceId: 'POS-2026-01' },
      }),
      { 'idempotency-key': 'note-2026-01' },
    ),
  },
  active_referencing_documents: {
    context: 'POS-CN-1 refers to the invoice. Cancel the note first, and then retry.',
    before: cancel(),
    after: cancel({ documentId: NOTE_ID, cancellationReason: 'Wrong month' }),
  },
  body_too_large: repeat(
    'The first body was over 10 MB. Split the list into requests with fewer documents and separate keys.',
    submit(),
  ),
  uri_too_long: {
    before: { line: `${TIN_CHECK}/${'C98765'.repeat(40)}` },
    after: CHECK_TIN,
  },
  unsupported_media_type: {
    before: submit(toBody(DOCUMENT), { 'Content-Type': 'text/plain' }),
    after: submit(),
  },
  headers_too_large: repeat(
    'A proxy or a cookie made the headers too long. Send only the headers of the reference.',
    submit(),
  ),
  large_body_share_exceeded: repeat('The other large requests have finished.', submit()),
  rate_limited: repeat('The seconds in `Retry-After` have passed.', READ_STATUS),
  too_many_concurrent_requests: repeat('Other requests of the organisation have finished.', submit()),
  internal_error: repeat('The operator finds the failure by its `requestId`.', submit()),
  service_unavailable: repeat('The seconds in `Retry-After` have passed.', submit()),
  too_many_large_bodies: repeat('The seconds in `Retry-After` have passed.', submit()),
  large_body_not_processed: repeat('The seconds in `Retry-After` have passed, or fewer documents are sent.', submit()),
  not_appointed: repeat('The organisation appointed this service in the portal of the authority.', CHECK_TIN),
  call_budget: repeat('The seconds in `Retry-After` have passed.', CHECK_TIN),
  authority_unavailable: repeat('The seconds in `Retry-After` have passed.', CHECK_TIN),
  database_unavailable: repeat('The database responds again.', READY),
  disk_full: repeat('The database has free disk space again.', READY),
  migrations_missing: repeat('The operator ran the migrations.', READY),
};
