import type { ApiName } from './api-names.js';

export const faultNames = [
  'drop-before',
  'drop-after',
  'late',
  'http-500-before',
  'http-500-after',
  'http-503',
  'html-403',
  'truncated-json',
  '429-seconds',
  '429-date',
  '429-bare',
  '401',
  'stuck',
  'cancel-200-with-error',
] as const;
export type FaultName = (typeof faultNames)[number];

export interface FaultRule {
  api: ApiName;
  referenceId?: string;
  supplierTin?: string;
  fault: FaultName;
  times: number;
}

/** What of a call the conditions of a fault are compared with. */
export interface CallTraits {
  api: ApiName;
  numbers: string[];
  taxpayerTin: string;
}

export class FaultTable {
  private rules: FaultRule[] = [];

  add(rules: FaultRule[]): void {
    this.rules.push(...rules);
  }

  isEmpty(): boolean {
    return this.rules.length === 0;
  }

  /** The fault of the oldest rule that fits, which is thereby used once. */
  take(traits: CallTraits): FaultName | undefined {
    const rule = this.rules.find((candidate) => fits(candidate, traits));
    if (!rule) return undefined;
    rule.times -= 1;
    if (rule.times === 0) this.rules = this.rules.filter((other) => other !== rule);
    return rule.fault;
  }
}

function fits(rule: FaultRule, traits: CallTraits): boolean {
  if (rule.api !== traits.api) return false;
  if (rule.referenceId !== undefined && !traits.numbers.includes(rule.referenceId)) return false;
  return rule.supplierTin === undefined || rule.supplierTin === traits.taxpayerTin;
}
