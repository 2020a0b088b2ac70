import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  classifyCancel,
  classifyDetails,
  classifySearch,
  classifySubmission,
  classifySubmit,
  classifyTin,
} from './classify.js';
import { classifyLogin } from './login.js';
import type { AuthorityResponse, Ending } from './ending.js';

const SUBMISSION_UID = '4GP7CCS5FE74GBZ5QFD7EXWJ10';
const UUID_1 = 'Z9JH44F9A9XXQQ30QFD7EXWJ10';
const UUID_2 = 'Z9JH44F9A9XXQQ30QFD7EXWJ11';
const HTML = '<!DOCTYPE html><html><body>Under maintenance</body></html>';

function buildResponse(status: number, body: unknown, headers: Record<string, string> = {}): AuthorityResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  return { kind: 'response', status, headers, body: typeof body === 'string' ? null : body, text, correlationId: null };
}

const NOT_SENT: Ending = { kind: 'not-sent', reason: 'ECONNREFUSED', isGivenUp: false };
const NO_RESPONSE: Ending = { kind: 'no-response', reason: 'ECONNRESET', isGivenUp: false };

function accepted(...entries: [referenceId: string, uuid: string][]): object[] {
  return entries.map(([invoiceCodeNumber, uuid]) => ({ invoiceCodeNumber, uuid }));
}

const REJECTED = {
  invoiceCodeNumber: 'INV-2',
  error: {
    code: '3',
    message: 'Validation Error',
    target: 'INV-2',
    details: [{ code: 'CF321', message: 'Too old.', target: 'DatetimeIssued', propertyPath: 'Invoice.IssueDate' }],
  },
};

const TAKEN = { submissionUid: SUBMISSION_UID, acceptedDocuments: accepted(['INV-1', UUID_1]), rejectedDocuments: [] };

function submitKind(ending: Ending, referenceIds: readonly string[] = ['INV-1']): string {
  return classifySubmit(ending, referenceIds).kind;
}

describe('classifySubmit', () => {
  it('reads accepted and rejected documents with either spelling of the submission uid', () => {
    const body = {
      submissionUID: SUBMISSION_UID,
      acceptedDocuments: accepted(['INV-1', UUID_1]),
      rejectedDocuments: [REJECTED],
    };
    expect(classifySubmit(buildResponse(202, body), ['INV-1', 'INV-2'])).toEqual({
      kind: 'accepted',
      submissionUid: SUBMISSION_UID,
      accepted: [{ referenceId: 'INV-1', authorityUuid: UUID_1 }],
      rejected: [{ referenceId: 'INV-2', errors: [{ code: 'CF321', message: 'Too old.', path: 'Invoice.IssueDate' }] }],
    });
  });

  it.each([null, '', undefined])('accepts the submission uid %j when all documents are rejected', (uid) => {
    const body = { submissionUid: uid, acceptedDocuments: [], rejectedDocuments: [REJECTED] };
    expect(classifySubmit(buildResponse(202, body), ['INV-2'])).toMatchObject({
      kind: 'accepted',
      submissionUid: null,
    });
  });

  it('keeps a rejected document with an unreadable reason', () => {
    const body = { submissionUid: null, rejectedDocuments: [{ invoiceCodeNumber: 'INV-1', error: null }] };
    const outcome = classifySubmit(buildResponse(202, body), ['INV-1']);
    expect(outcome).toMatchObject({ kind: 'accepted', rejected: [{ referenceId: 'INV-1' }] });
    expect(outcome.kind === 'accepted' && outcome.rejected[0]?.errors).toHaveLength(1);
  });

  it.each<[string, unknown, string[]]>([
    ['omits a document', TAKEN, ['INV-1', 'INV-2']],
    ['lists a document that was not sent', TAKEN, ['INV-9']],
    ['lists an additional document', { ...TAKEN, rejectedDocuments: [REJECTED] }, ['INV-1']],
    [
      'lists one document twice and omits another',
      { ...TAKEN, acceptedDocuments: accepted(['INV-1', UUID_1], ['INV-1', UUID_2]) },
      ['INV-1', 'INV-2'],
    ],
    [
      'both accepts and rejects a document',
      { ...TAKEN, rejectedDocuments: [{ ...REJECTED, invoiceCodeNumber: 'INV-1' }] },
      ['INV-1', 'INV-2'],
    ],
    [
      'both accepts and rejects the only document',
      { ...TAKEN, rejectedDocuments: [{ ...REJECTED, invoiceCodeNumber: 'INV-1' }] },
      ['INV-1'],
    ],
    [
      'repeats a uuid',
      { ...TAKEN, acceptedDocuments: accepted(['INV-1', UUID_1], ['INV-2', UUID_1]) },
      ['INV-1', 'INV-2'],
    ],
    ['accepts a document without a submission uid', { ...TAKEN, submissionUid: null }, ['INV-1']],
    ['accepts a document without a uuid', { ...TAKEN, acceptedDocuments: [{ invoiceCodeNumber: 'INV-1' }] }, ['INV-1']],
    [
      'accepts a document with a malformed uuid',
      { ...TAKEN, acceptedDocuments: accepted(['INV-1', '../x']) },
      ['INV-1'],
    ],
    ['is not JSON', '{"submissionUid":"4GP7CC', ['INV-1']],
    ['is an HTML page', HTML, ['INV-1']],
    ['is empty', '', ['INV-1']],
    ['is an array', [TAKEN], ['INV-1']],
    ['has a string instead of its lists', { acceptedDocuments: 'none' }, ['INV-1']],
  ])('returns unknown if the 202 %s', (_, body, referenceIds) => {
    expect(submitKind(buildResponse(202, body), referenceIds)).toBe('unknown');
  });

  it.each<[string, Ending, string]>([
    ['a request that was not sent', NOT_SENT, 'unavailable'],
    ['a missing response', NO_RESPONSE, 'unknown'],
    ['401', buildResponse(401, {}), 'unauthorized'],
    ['400 of the API', buildResponse(400, { error: { code: 'BadStructure' } }), 'refused'],
    ['400 without a body', buildResponse(400, ''), 'refused'],
    ['413 of the API', buildResponse(413, {}), 'refused'],
    ['413 of the edge', buildResponse(413, HTML), 'refused'],
    ['403 of the API', buildResponse(403, { error: { code: 'IncorrectSubmitter' } }), 'forbidden'],
    ['403 page of the edge', buildResponse(403, HTML, { 'content-type': 'text/html' }), 'unavailable'],
    ['403 without JSON', buildResponse(403, 'Denied'), 'unavailable'],
    ['400 page of the edge', buildResponse(400, HTML), 'unavailable'],
    ['404', buildResponse(404, {}), 'unavailable'],
    ['422', buildResponse(422, {}), 'duplicate'],
    ['429', buildResponse(429, { statusCode: 429, message: 'Try again' }), 'throttled'],
    ['429 page', buildResponse(429, HTML), 'throttled'],
    ['408', buildResponse(408, ''), 'unknown'],
    ['409', buildResponse(409, {}), 'unknown'],
    ['500', buildResponse(500, {}), 'unknown'],
    ['502 page', buildResponse(502, HTML), 'unknown'],
    ['503', buildResponse(503, {}), 'unknown'],
    ['503 page', buildResponse(503, HTML), 'unknown'],
    ['504 page', buildResponse(504, HTML), 'unknown'],
    ['302', buildResponse(302, HTML, { location: 'https://elsewhere.example' }), 'unknown'],
  ])('classifies %s', (_, ending, kind) => {
    expect(submitKind(ending)).toBe(kind);
  });

  it.each<[string | undefined, number]>([
    ['37', 37],
    [undefined, 600],
    ['999999', 999_999],
    ['0', 1],
    ['soon', 600],
    ['-5', 600],
    ['1e3', 600],
  ])('reads the Retry-After %j of a duplicate as %d seconds', (header, seconds) => {
    const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
    expect(classifySubmit(buildResponse(422, {}, headers), ['INV-1'])).toEqual({
      kind: 'duplicate',
      retryAfterSeconds: seconds,
    });
  });

  it('interprets a Retry-After date relative to the authority clock', () => {
    const headers = { 'retry-after': 'Fri, 20 Nov 2026 08:01:00 GMT', date: 'Fri, 20 Nov 2026 08:00:15 GMT' };
    expect(classifySubmit(buildResponse(429, {}, headers), ['INV-1'])).toEqual({
      kind: 'throttled',
      api: 'submit',
      retryAfterSeconds: 45,
    });
  });

  it.each<[string, Record<string, string>, number]>([
    ['where Retry-After is missing', { 'x-rate-limit-reset': '2026-11-20T08:00:57.6181792Z' }, 43],
    ['where Retry-After says nothing', { 'x-rate-limit-reset': '2026-11-20T08:00:57Z', 'retry-after': 'soon' }, 42],
    ['not where it says something', { 'x-rate-limit-reset': '2026-11-20T08:00:57Z', 'retry-after': '7' }, 7],
    ['and bounds it', { 'x-rate-limit-reset': '2027-11-20T08:00:57Z' }, 900],
    ['and waits a minute when it cannot be read', { 'x-rate-limit-reset': 'later' }, 60],
  ])('reads X-Rate-Limit-Reset of a 429 %s', (_, headers, seconds) => {
    const dated = { ...headers, date: 'Fri, 20 Nov 2026 08:00:15 GMT' };
    expect(classifySubmit(buildResponse(429, {}, dated), ['INV-1'])).toMatchObject({ retryAfterSeconds: seconds });
  });

  it('never returns accepted for an arbitrary body', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.string(), fc.constant(HTML));
    const likeSubmit = fc.record(
      {
        submissionUid: fc.oneof(fc.constant(SUBMISSION_UID), fc.jsonValue()),
        acceptedDocuments: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
        rejectedDocuments: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anything, likeSubmit), fc.integer({ min: 200, max: 599 }), (body, status) => {
        expect(submitKind(buildResponse(status, body), ['INV-1', 'INV-2'])).not.toBe('accepted');
      }),
      { numRuns: 2_000 },
    );
  });
});

const SUMMARY = {
  uuid: UUID_1,
  submissionUid: SUBMISSION_UID,
  longId: '',
  internalId: 'INV-1',
  typeName: 'Invoice',
  issuerTin: 'C25845632020',
  dateTimeIssued: '2026-06-04T12:17:00Z',
  dateTimeReceived: '2026-06-04T12:21:31.1234567Z',
  dateTimeValidated: '2026-06-04T12:21:31',
  status: 'Invalid',
  cancelDateTime: '9999-12-31T23:59:59.9999999Z',
  rejectRequestDateTime: '0001-01-01T00:00:00Z',
  documentStatusReason: null,
};

const READ = {
  authorityUuid: UUID_1,
  submissionUid: SUBMISSION_UID,
  referenceId: 'INV-1',
  typeName: 'Invoice',
  supplierTin: 'C25845632020',
  status: 'Invalid',
  longId: null,
  issuedAt: new Date('2026-06-04T12:17:00Z'),
  receivedAt: new Date('2026-06-04T12:21:31.123Z'),
  validatedAt: new Date('2026-06-04T12:21:31Z'),
  cancelledAt: null,
  rejectionRequestedAt: null,
  statusReason: null,
};

const step = (error: unknown): object => ({ name: 'Step04', status: 'Invalid', error });

describe('classification of reads', () => {
  it('omits an unreadable document of a submission', () => {
    const body = { submissionUid: SUBMISSION_UID, documentSummary: [SUMMARY, { status: 'Valid' }] };
    expect(classifySubmission(buildResponse(200, body))).toEqual({ kind: 'found', documents: [READ] });
  });

  it('returns unavailable if every document of a submission is unreadable', () => {
    expect(classifySubmission(buildResponse(200, { documentSummary: [{ status: 'Valid' }] })).kind).toBe('unavailable');
    expect(classifySubmission(buildResponse(200, { documentSummary: [] }))).toEqual({ kind: 'found', documents: [] });
  });

  it('reads a time without a zone as UTC in any process time zone', () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Asia/Kuala_Lumpur';
    try {
      const outcome = classifySubmission(buildResponse(200, { documentSummary: [SUMMARY] }));
      expect(outcome).toMatchObject({ documents: [{ validatedAt: READ.validatedAt }] });
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it('reads member names in any case', () => {
    const { submissionUid, issuerTin, ...rest } = SUMMARY;
    const row = { ...rest, submissionUID: submissionUid, supplierTIN: issuerTin };
    expect(classifySubmission(buildResponse(200, { documentSummary: [row] }))).toEqual({
      kind: 'found',
      documents: [READ],
    });
  });

  it.each([
    ['valid', 'Valid'],
    ['In Progress', 'Submitted'],
    ['SUBMITTED', 'Submitted'],
    ['cancelled', 'Cancelled'],
    [2, 'Valid'],
    ['4', 'Cancelled'],
    ['toString', null],
    ['Archived', null],
    [null, null],
  ])('reads status %j as %j', (status, expected) => {
    const outcome = classifySubmission(buildResponse(200, { documentSummary: [{ ...SUMMARY, status }] }));
    expect(outcome).toMatchObject({ kind: 'found', documents: [{ status: expected }] });
  });

  it('keeps unreadable rows of a search page', () => {
    const page = { result: [SUMMARY], metadata: { totalPages: 1, totalCount: 1 } };
    expect(classifySearch(buildResponse(200, page))).toEqual({ kind: 'page', rows: [READ], totalPages: 1 });
    const rows = [
      { authorityUuid: null, referenceId: 'INV-2' },
      { authorityUuid: null, referenceId: null },
    ];
    expect(classifySearch(buildResponse(200, { ...page, result: [{ internalId: 'INV-2' }, 'none'] }))).toMatchObject({
      rows,
    });
    expect(classifySearch(buildResponse(200, { result: [] })).kind).toBe('unavailable');
    expect(classifySearch(buildResponse(200, { metadata: page.metadata })).kind).toBe('unavailable');
  });

  it('returns the innermost errors of the failed steps in English', () => {
    const inner = {
      propertyName: 'Code',
      propertyPath: '$.Invoice[*].Code',
      errorCode: 'CV302',
      error: 'ItemCode NA does not exist',
      errorMs: 'ItemCode NA tidak wujud',
      innerError: null,
    };
    const steps = [
      { name: 'Step01', status: 'Valid' },
      step({ errorCode: 'Error04', error: 'Step04-Invalid', innerError: [inner] }),
      step({ errorCode: 'ERR406', error: 'Buyer TIN is wrong', propertyPath: 'Buyer', innerError: null }),
      step('The signature is broken'),
      { name: 'Step05', status: 'Invalid' },
    ];
    const body = { ...SUMMARY, validationResults: { status: 'Invalid', validationSteps: steps } };
    expect(classifyDetails(buildResponse(200, body))).toEqual({
      kind: 'found',
      document: READ,
      errors: [
        { code: 'CV302', message: 'ItemCode NA does not exist', path: '$.Invoice[*].Code', step: 'Step04' },
        { code: 'ERR406', message: 'Buyer TIN is wrong', path: 'Buyer', step: 'Step04' },
        { code: null, message: 'The signature is broken', path: null, step: 'Step04' },
      ],
      failedSteps: ['Step05'],
    });
  });

  it('returns not-yet or not-found only for a 404 of the API', () => {
    expect(classifySubmission(buildResponse(404, '')).kind).toBe('not-yet');
    expect(classifyDetails(buildResponse(404, {})).kind).toBe('not-found');
    expect(classifySubmission(buildResponse(404, HTML)).kind).toBe('unavailable');
    expect(classifyDetails(buildResponse(404, HTML)).kind).toBe('unavailable');
  });

  it.each<[string, Ending, string]>([
    ['a request that was not sent', NOT_SENT, 'unavailable'],
    ['a missing response', NO_RESPONSE, 'unavailable'],
    ['unreadable 200', buildResponse(200, HTML), 'unavailable'],
    ['400', buildResponse(400, { error: { code: 'BadArgument' } }), 'refused'],
    ['401', buildResponse(401, ''), 'unauthorized'],
    ['403 of the API', buildResponse(403, { error: {} }), 'forbidden'],
    ['403 page', buildResponse(403, HTML), 'unavailable'],
    ['429', buildResponse(429, ''), 'throttled'],
    ['500', buildResponse(500, {}), 'unavailable'],
    ['302', buildResponse(302, ''), 'unavailable'],
  ])('classifies %s', (_, ending, kind) => {
    for (const classify of [classifySubmission, classifyDetails, classifySearch])
      expect(classify(ending).kind).toBe(kind);
  });
});

describe('classifyCancel', () => {
  const DENIED = {
    error: {
      code: 'AccessDenied',
      message: 'The document cannot be cancelled',
      details: [{ code: 'Forbidden', target: 'Document.UUID', message: 'You are not authorized' }],
    },
  };

  it.each<[string, Ending, string]>([
    ['200', buildResponse(200, { uuid: UUID_1, status: 'Cancelled' }), 'cancelled'],
    ['200 with an empty error', buildResponse(200, { uuid: UUID_1, status: 'cancelled', error: null }), 'cancelled'],
    ['200 with an error', buildResponse(200, { status: 'Cancelled', error: { code: 'IncorrectState' } }), 'refused'],
    ['200 with another status', buildResponse(200, { status: 'Valid' }), 'unknown'],
    ['200 page', buildResponse(200, HTML), 'unknown'],
    ['200 without a body', buildResponse(200, ''), 'unknown'],
    ['a request that was not sent', NOT_SENT, 'unavailable'],
    ['a missing response', NO_RESPONSE, 'unknown'],
    ['400', buildResponse(400, { error: { code: 'OperationPeriodOver' } }), 'refused'],
    ['401', buildResponse(401, ''), 'unauthorized'],
    ['403 of the API', buildResponse(403, DENIED), 'forbidden'],
    ['403 page', buildResponse(403, HTML), 'unavailable'],
    ['404 of the API', buildResponse(404, {}), 'refused'],
    ['429', buildResponse(429, {}), 'throttled'],
    ['500', buildResponse(500, {}), 'unknown'],
    ['504 page', buildResponse(504, HTML), 'unknown'],
  ])('classifies %s', (_, ending, kind) => {
    expect(classifyCancel(ending).kind).toBe(kind);
  });

  it.each([
    [
      'error',
      { error: { code: 'IncorrectState', message: 'Not valid', details: [{ code: 'Document', message: 'x' }] } },
    ],
    [
      'error details',
      {
        error: { code: 'ValidationError', message: null, details: [{ code: 'IncorrectState', message: 'Not valid' }] },
      },
    ],
  ])('finds the code of a rejection in the %s', (_, body) => {
    expect(classifyCancel(buildResponse(400, body))).toMatchObject({ code: 'IncorrectState', message: 'Not valid' });
  });
});

describe('classifyTin', () => {
  it.each<[string, Ending, string]>([
    ['200 without a body', buildResponse(200, ''), 'valid'],
    ['200 page', buildResponse(200, HTML), 'unavailable'],
    ['404', buildResponse(404, ''), 'invalid'],
    ['400', buildResponse(400, { error: { code: 'BadArgument' } }), 'invalid'],
    ['404 page', buildResponse(404, HTML), 'unavailable'],
    ['400 page', buildResponse(400, HTML), 'unavailable'],
    ['401', buildResponse(401, ''), 'unauthorized'],
    ['403', buildResponse(403, {}), 'forbidden'],
    ['429', buildResponse(429, ''), 'throttled'],
    ['500', buildResponse(500, {}), 'unavailable'],
    ['302', buildResponse(302, ''), 'unavailable'],
    ['a request that was not sent', NOT_SENT, 'unavailable'],
    ['a missing response', NO_RESPONSE, 'unavailable'],
  ])('returns a result only for a response of the API: %s', (_, ending, kind) => {
    expect(classifyTin(ending).kind).toBe(kind);
  });
});

describe('classifyLogin', () => {
  const TOKEN = { access_token: 'ey.J.x', expires_in: 3600, token_type: 'Bearer' };

  it.each<[string, Ending, string]>([
    ['200', buildResponse(200, TOKEN), 'token'],
    ['200 without a lifetime', buildResponse(200, { access_token: 'ey.J.x' }), 'unavailable'],
    ['200 with a token that breaks a header', buildResponse(200, { ...TOKEN, access_token: 'a\r\nb' }), 'unavailable'],
    ['200 page', buildResponse(200, HTML), 'unavailable'],
    ['400 invalid_client', buildResponse(400, { error: 'invalid_client' }), 'client-refused'],
    ['401 invalid_client', buildResponse(401, { error: 'invalid_client' }), 'client-refused'],
    ['400 invalid_grant', buildResponse(400, { error: 'invalid_grant', error_description: 'x' }), 'not-appointed'],
    ['403 without a body', buildResponse(403, ''), 'login-doubted'],
    ['403 in JSON', buildResponse(403, { error: { code: 'Forbidden' } }), 'login-doubted'],
    ['403 invalid_client', buildResponse(403, { error: 'invalid_client' }), 'client-refused'],
    ['400 unauthorised_client', buildResponse(400, { error: 'unauthorised_client' }), 'login-doubted'],
    ['400 unauthorized_client', buildResponse(400, { error: 'unauthorized_client' }), 'login-doubted'],
    ['401 without a body', buildResponse(401, ''), 'login-doubted'],
    ['401 invalid_grant', buildResponse(401, { error: 'invalid_grant' }), 'not-appointed'],
    ['403 page', buildResponse(403, HTML), 'unavailable'],
    ['408', buildResponse(408, ''), 'unavailable'],
    ['429', buildResponse(429, ''), 'throttled'],
    ['500', buildResponse(500, {}), 'unavailable'],
    ['a request that was not sent', NOT_SENT, 'unavailable'],
    ['a missing response', NO_RESPONSE, 'unavailable'],
  ])('classifies %s', (_, ending, kind) => {
    expect(classifyLogin(ending).kind).toBe(kind);
  });

  it('reads the token lifetime and the reason for a rejection', () => {
    expect(classifyLogin(buildResponse(200, { ...TOKEN, expires_in: '1800' }))).toEqual({
      kind: 'token',
      accessToken: 'ey.J.x',
      lifetimeSeconds: 1800,
      issuedAt: null,
    });
    const refusal = { error: 'invalid_grant', error_description: 'User blocked', error_uri: null };
    expect(classifyLogin(buildResponse(400, refusal))).toEqual({
      kind: 'not-appointed',
      errors: [{ code: 'invalid_grant', message: 'User blocked', path: null }],
    });
  });
});

it('classifier accepts an arbitrary response without throwing', () => {
  const body = fc.oneof(fc.jsonValue({ maxDepth: 12 }), fc.string(), fc.constant(HTML), fc.constant('__proto__'));
  const classifiers = [classifySubmission, classifyDetails, classifySearch, classifyCancel, classifyTin, classifyLogin];
  fc.assert(
    fc.property(body, fc.integer({ min: 100, max: 599 }), fc.string(), (value, status, retryAfter) => {
      for (const classify of classifiers)
        expect(classify(buildResponse(status, value, { 'retry-after': retryAfter })).kind).toBeTypeOf('string');
    }),
    { numRuns: 1_000 },
  );
});
