import type { ApiName } from './api-names.js';

/** All faults, each with its effect on the call. */
export const faultTexts = {
  'drop-before': 'The call is not processed; the connection is cut',
  'drop-after': 'The call is processed; the connection is cut without a response',
  late: 'The call is processed; the response is sent after lateAnswerMs',
  'http-500-before': 'The call is not processed; the response is 500',
  'http-500-after': 'The call is processed; the response is 500',
  'http-503': 'The call is not processed; the response is 503',
  'html-504-after': 'The call is processed; the response is 504 with an HTML page',
  'html-403': 'The call is not processed; the response is 403 with an HTML maintenance page',
  'html-503': 'The call is not processed; the response is 503 with an HTML maintenance page',
  'truncated-json': 'The call is processed; the response ends in the middle of its body',
  'slow-body': 'The call is processed; the response body takes lateAnswerMs',
  'huge-answer': 'The call is processed; 16 MiB of spaces follow the response',
  'wrong-content-type': 'The call is processed; the Content-Type of the response is text/html',
  redirect: 'The call is not processed; the response is 307 to an address that logs each request',
  '429-seconds': 'The call is not processed; the response is 429 with Retry-After in seconds',
  '429-date': 'The call is not processed; the response is 429 with Retry-After as a date',
  '429-bare': 'The call is not processed; the response is 429 without rate-limit headers',
  '429-reset': 'The call is not processed; the response is 429 with X-Rate-Limit-Reset only',
  '401': 'The call is not processed; the response is 401, although the token stays valid',
  'partial-answer': 'The call is processed; the last document is missing from the response',
  'out-of-order': 'The call is processed; the lists in the response are reversed',
  'duplicate-uuid': 'The call is processed; the last document has the uuid of another document',
  'swapped-uuids': 'The call is processed; the uuids of the first and the last document are swapped',
  'unknown-uuid': 'The call is processed; the last document has a uuid that does not exist',
  'foreign-uuid': 'The call is processed; the last document has the uuid of another taxpayer’s latest document',
  'unknown-submission-uid': 'The call is processed; the submissionUid in the response does not exist',
  'other-submission-uid':
    'The call is processed; the response has the submissionUid of the taxpayer’s previous submission',
  rejected: 'The call is not processed; the response is 202 and rejects every document',
  'rejected-as-duplicate':
    'The call is not processed; the response is 202 and rejects every document as a duplicate of the taxpayer’s ' +
    'latest document with the same number',
  'partial-accept': 'The first half of the documents is accepted, then the connection is cut',
  stuck: 'The call is processed; its documents stay Submitted',
  'cancel-200-with-error': '200 with an error; the document is not cancelled',
  'login-403': 'The login is refused with 403 and a JSON body',
  'login-403-empty': 'The login is refused with 403 and an empty body',
  'login-unauthorised-client': 'The login is refused with 400 unauthorised_client',
  'tin-mismatch': 'The whole submission is refused with 400, because its TIN is not the login’s TIN',
  'submitter-refused': 'The whole submission is refused with 400, because the permission to submit is missing',
  'not-found': 'The response is 404, as if the document did not exist',
  'no-results': 'The call is processed; validationResults is missing from the response',
  'error-as-text': 'The call is processed; each error in the response is a string',
};
export type FaultName = keyof typeof faultTexts;
export const faultNames = Object.keys(faultTexts) as FaultName[];

/** Faults that only the listed calls support. Other calls would silently ignore them. */
export const callsByFault: Partial<Record<FaultName, readonly ApiName[]>> = {
  'partial-answer': ['submit', 'getSubmission'],
  'out-of-order': ['submit', 'getSubmission', 'search', 'recent'],
  'duplicate-uuid': ['submit'],
  'swapped-uuids': ['submit'],
  'unknown-uuid': ['submit'],
  'foreign-uuid': ['submit'],
  'unknown-submission-uid': ['submit'],
  'other-submission-uid': ['submit'],
  rejected: ['submit'],
  'rejected-as-duplicate': ['submit'],
  'partial-accept': ['submit'],
  stuck: ['submit'],
  'cancel-200-with-error': ['cancel'],
  'login-403': ['token'],
  'login-403-empty': ['token'],
  'login-unauthorised-client': ['token'],
  'tin-mismatch': ['submit'],
  'submitter-refused': ['submit'],
  'not-found': ['details', 'raw'],
  'no-results': ['details'],
  'error-as-text': ['submit', 'details'],
};

export interface FaultRule {
  api: ApiName;
  referenceId?: string;
  supplierTin?: string;
  fault: FaultName;
  times: number;
  /** Applies the fault to every n-th matching call, starting with the n-th. */
  every: number;
}

/** Properties of a call that fault conditions are matched against. */
export interface CallTraits {
  api: ApiName;
  /** Document numbers of the call. A function, because reading them parses the whole submission. */
  numbers(): string[];
  taxpayerTin: string;
}

export interface WaitingFault {
  rule: FaultRule;
  /** Number of matching calls so far. */
  fitting: number;
}

export class FaultTable {
  private rules: WaitingFault[] = [];

  add(rules: FaultRule[]): void {
    this.rules.push(...rules.map((rule) => ({ rule: { ...rule }, fitting: 0 })));
  }

  /** Returns the rules that have applications left. */
  waiting(): FaultRule[] {
    return this.rules.map(({ rule }) => rule);
  }

  /** Returns the rules with their match counts, for restore.ts. */
  all(): readonly WaitingFault[] {
    return this.rules;
  }

  restore(rules: readonly WaitingFault[]): void {
    this.rules = [...rules];
  }

  clear(): void {
    this.rules = [];
  }

  isEmpty(): boolean {
    return this.rules.length === 0;
  }

  /** Returns the fault of the oldest matching rule and decrements its remaining applications. */
  take(traits: CallTraits): FaultName | undefined {
    const struck = this.rules.find((waiting) => {
      if (!fits(waiting.rule, traits)) return false;
      waiting.fitting += 1;
      return waiting.fitting % waiting.rule.every === 0;
    });
    if (!struck) return undefined;
    const { rule } = struck;
    rule.times -= 1;
    if (rule.times === 0) this.rules = this.rules.filter((other) => other !== struck);
    return rule.fault;
  }
}

function fits(rule: FaultRule, traits: CallTraits): boolean {
  if (rule.api !== traits.api) return false;
  if (rule.supplierTin !== undefined && rule.supplierTin !== traits.taxpayerTin) return false;
  return rule.referenceId === undefined || traits.numbers().includes(rule.referenceId);
}
