import type { ApiName } from './api-names.js';

/** Every fault, with what becomes of the call that meets it. */
export const faultTexts = {
  'drop-before': 'The call is not done, and its connection is cut',
  'drop-after': 'The call is done, then its connection is cut',
  late: 'The call is done; the response comes after lateAnswerMs',
  'http-500-before': 'The call is not done: 500',
  'http-500-after': 'The call is done, then 500',
  'http-503': 'The call is not done: 503',
  'html-504-after': 'The call is done, then a 504 page in HTML',
  'html-403': 'The call is not done: a maintenance page in HTML with 403',
  'html-503': 'The call is not done: a maintenance page in HTML with 503',
  'truncated-json': 'The call is done; the response is cut in the middle',
  'slow-body': 'The call is done; the body of the response takes lateAnswerMs',
  'huge-answer': 'The call is done; 16 MiB of blanks follow the response',
  'wrong-content-type': 'The call is done; the response says that it is text/html',
  redirect: 'The call is not done: 307 to an address that logs who follows',
  '429-seconds': 'The call is not done: 429 with Retry-After in seconds',
  '429-date': 'The call is not done: 429 with Retry-After as a date',
  '429-bare': 'The call is not done: 429 without a header',
  '429-reset': 'The call is not done: 429 with X-Rate-Limit-Reset only',
  '401': 'The call is not done: 401; the token stays valid',
  'partial-answer': 'The call is done; the last document is missing in the response',
  'out-of-order': 'The call is done; the lists of the response are reversed',
  'duplicate-uuid': 'The call is done; the last document has the uuid of another one',
  'swapped-uuids': 'The call is done; the first and the last document have each other’s uuid',
  'unknown-uuid': 'The call is done; the last document has a uuid that does not exist',
  'foreign-uuid': 'The call is done; the last document has the uuid of the latest document of another taxpayer',
  'unknown-submission-uid': 'The call is done; the submissionUid of the response does not exist',
  'other-submission-uid': 'The call is done; the response has the submissionUid of the taxpayer’s previous submission',
  rejected: 'The call is not done: 202 that rejects every document',
  'rejected-as-duplicate':
    'The call is not done: 202 that rejects every document as a duplicate of the taxpayer’s latest document of its number',
  'partial-accept': 'The first half of the documents is taken, then the connection is cut',
  stuck: 'The call is done; its documents stay Submitted',
  'cancel-200-with-error': '200 with an error; the document is not cancelled',
  'login-403': 'The login is refused: 403 with JSON',
  'login-403-empty': 'The login is refused: 403 without a body',
  'login-unauthorised-client': 'The login is refused: 400 unauthorised_client',
  'tin-mismatch': 'The whole submission is refused: 400, another TIN than that of the login',
  'submitter-refused': 'The whole submission is refused: 400, no permission to submit',
  'not-found': 'The document is not found: 404',
  'no-results': 'The call is done; validationResults is missing in the response',
  'error-as-text': 'The call is done; each error of the response is a text',
};
export type FaultName = keyof typeof faultTexts;
export const faultNames = Object.keys(faultTexts) as FaultName[];

/** Faults that only some calls can act out; elsewhere they would silently do nothing. */
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
  /** Strikes each n-th call that fits, from the n-th on. */
  every: number;
}

/** What of a call the conditions of a fault are compared with. */
export interface CallTraits {
  api: ApiName;
  /** Read only for a rule that asks for one: a whole submission is parsed for it. */
  numbers(): string[];
  taxpayerTin: string;
}

export interface WaitingFault {
  rule: FaultRule;
  /** How many calls have fitted. */
  fitting: number;
}

export class FaultTable {
  private rules: WaitingFault[] = [];

  add(rules: FaultRule[]): void {
    this.rules.push(...rules.map((rule) => ({ rule: { ...rule }, fitting: 0 })));
  }

  /** Those that have not yet struck as often as they shall. */
  waiting(): FaultRule[] {
    return this.rules.map(({ rule }) => rule);
  }

  /** The rules with their counts, for restore.ts. */
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

  /** The fault of the oldest rule that fits, which is thereby used once. */
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
