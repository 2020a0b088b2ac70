import type { ApiName } from './api-names.js';

export const faultNames = [
  'drop-before',
  'drop-after',
  'late',
  'http-500-before',
  'http-500-after',
  'http-503',
  'html-504-after',
  'html-403',
  'html-503',
  'truncated-json',
  'slow-body',
  'huge-answer',
  'wrong-content-type',
  'redirect',
  '429-seconds',
  '429-date',
  '429-bare',
  '429-reset',
  '401',
  'partial-answer',
  'out-of-order',
  'duplicate-uuid',
  'partial-accept',
  'stuck',
  'cancel-200-with-error',
  'login-403',
  'login-403-empty',
  'login-unauthorised-client',
  'tin-mismatch',
  'submitter-refused',
  'not-found',
  'no-results',
  'error-as-text',
] as const;
export type FaultName = (typeof faultNames)[number];

/** Faults that only some calls can act out; elsewhere they would silently do nothing. */
export const callsByFault: Partial<Record<FaultName, readonly ApiName[]>> = {
  'partial-answer': ['submit', 'getSubmission'],
  'out-of-order': ['submit', 'getSubmission', 'search', 'recent'],
  'duplicate-uuid': ['submit'],
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

  /** The rules with their counts, for who writes them down. */
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
