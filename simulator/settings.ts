import { ControlError } from './errors.js';

export type DuplicateRule = 'payloads' | 'documents';

export interface SimulatorSettings {
  /** From acceptance to `Valid` or `Invalid`; read when the document is accepted. */
  validationDelayMs: number;
  /** How long Get Submission responds with 404 after a submission was accepted. */
  visibilityDelayMs: number;
  /** How long an accepted document stays out of Search. */
  searchLagMs: number;
  /** The 10-minute rule on payloads, the 2-hour rule on documents; both when true. */
  duplicateRules: boolean | DuplicateRule;
  /** The authority's pages print the duplicate error under both codes. */
  duplicateCode: string;
  /** Share of the published call limits that is enforced; 0 enforces none. */
  rateFactor: number;
  /** What every answer of the authority takes, in real time. */
  latencyMs: number;
  /** When a late answer is sent after all, and a slow body is complete; in real time. */
  lateAnswerMs: number;
  tokenSeconds: number;
  /** What becomes of a note whose parent the simulator never saw. */
  unknownParents: string;
  /**
   * False finds a signature with a self-signed certificate invalid, as the authority does with every unknown issuer.
   */
  trustSelfSigned: boolean;
  /** Whether sums that do not add up make a document invalid; whether they do at the authority is not public. */
  checkTotals: boolean;
  /** How long documents are kept; the authority's sandbox deletes after three months. */
  retentionDays: number;
  /** How many documents are kept: older submissions are forgotten first. */
  documentsMax: number;
  /** Null accepts any non-empty text. */
  clientId: string | null;
  clientSecret: string | null;
  /** Valid in addition to the first, as the authority's two secrets do; null is no second one. */
  secondClientSecret: string | null;
}

export const defaultSettings: Readonly<SimulatorSettings> = {
  validationDelayMs: 2000,
  visibilityDelayMs: 1500,
  searchLagMs: 0,
  duplicateRules: true,
  duplicateCode: 'DS302',
  rateFactor: 0,
  latencyMs: 0,
  // Longer than any sensible deadline of a caller; the caller hangs up first.
  lateAnswerMs: 90_000,
  tokenSeconds: 3600,
  unknownParents: 'invalid',
  trustSelfSigned: true,
  checkTotals: false,
  retentionDays: 90,
  documentsMax: 200_000,
  clientId: null,
  clientSecret: null,
  secondClientSecret: null,
};

interface SettingRule {
  expected: string;
  accepts(value: unknown): boolean;
}

const count: SettingRule = {
  expected: 'a number that is not negative',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
};
const flag: SettingRule = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
const textOrNull: SettingRule = {
  expected: 'a non-empty text or null',
  accepts: (value) => value === null || (typeof value === 'string' && value !== ''),
};
const createChoiceRule = (...values: string[]): SettingRule => ({
  expected: `one of ${values.join(', ')}`,
  accepts: (value) => typeof value === 'string' && values.includes(value),
});

const settingRules: Record<keyof SimulatorSettings, SettingRule> = {
  validationDelayMs: count,
  visibilityDelayMs: count,
  searchLagMs: count,
  duplicateRules: {
    expected: 'true, false, payloads or documents',
    accepts: (value) => [true, false, 'payloads', 'documents'].includes(value as boolean | string),
  },
  duplicateCode: createChoiceRule('DS302', 'DV302'),
  rateFactor: count,
  latencyMs: count,
  lateAnswerMs: count,
  tokenSeconds: count,
  unknownParents: createChoiceRule('invalid', 'accepted'),
  trustSelfSigned: flag,
  checkTotals: flag,
  retentionDays: count,
  documentsMax: count,
  clientId: textOrNull,
  clientSecret: textOrNull,
  secondClientSecret: textOrNull,
};

export const settingNames = Object.keys(settingRules) as (keyof SimulatorSettings)[];

/** Gives the new settings, or refuses all the changes because of one. */
export function changeSettings(current: SimulatorSettings, changes: Record<string, unknown>): SimulatorSettings {
  for (const [name, value] of Object.entries(changes)) {
    const rule = settingNames.find((known) => known === name);
    if (!rule) throw new ControlError(`Unknown setting "${name}". Known settings: ${settingNames.join(', ')}.`);
    if (!settingRules[rule].accepts(value)) {
      throw new ControlError(`Setting "${name}" must be ${settingRules[rule].expected}.`);
    }
  }
  return { ...current, ...changes };
}

export function hasDuplicateRule({ duplicateRules }: SimulatorSettings, rule: DuplicateRule): boolean {
  return duplicateRules === true || duplicateRules === rule;
}
