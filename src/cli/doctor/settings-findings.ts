import { type Configuration, DATABASE_SETTING_BY_ROLE, examineSettings } from '../../config/configuration.js';
import type { CommandContext } from '../command-context.js';
import { type Finding, good, problem } from './finding.js';

export const OWNER_SETTING = DATABASE_SETTING_BY_ROLE.operator;

export interface CheckedSettings {
  /** Malformed settings have their default values. */
  readonly configuration: Configuration;
  /** Names of wrong settings, whose checks are skipped. */
  readonly wrong: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

export function checkSettings({ environment, problem: unknown }: CommandContext): CheckedSettings {
  const { configuration, problems } = examineSettings('operator', environment);
  const named = problems.map((text) => ({ text, name: /^[A-Z][A-Z\d_]+/.exec(text)?.[0] ?? '' }));
  const findings = named
    .filter(({ name }) => unknown === null || name !== OWNER_SETTING)
    .map(({ text, name }) =>
      problem('settings', text, `Correct ${name} here and for the processes, and restart them; see .env.example`),
    );
  if (unknown !== null) {
    findings.unshift(problem('settings', unknown, `Correct this, or set ${OWNER_SETTING} to the database to check`));
  }
  return {
    configuration,
    wrong: new Set(named.map(({ name }) => name)),
    findings: findings.length > 0 ? findings : [good('settings', 'all settings are well-formed')],
  };
}
