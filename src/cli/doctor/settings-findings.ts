import {
  type Configuration,
  DATABASE_SETTING_BY_ROLE,
  examineSettings,
  type ProcessRole,
} from '../../config/configuration.js';
import type { CommandContext } from '../command-context.js';
import { type Finding, good, problem } from './finding.js';

export interface CheckedSettings {
  /** As far as it can be read. */
  readonly configuration: Configuration;
  /** The names of wrong settings: what needs one of them is not checked. */
  readonly wrong: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

const OTHERS: readonly ProcessRole[] = ['api', 'dispatcher'];

/** The settings of commands, and those of a process whose database is set here too. */
export function checkSettings({ environment, problem: unknown }: CommandContext): CheckedSettings {
  const { configuration, problems } = examineSettings('operator', environment);
  // `npm start` serves an environment by itself.
  const isServed = Object.keys(configuration.authorities).length > 0;
  const others = OTHERS.filter((role) => isServed && isSet(environment, DATABASE_SETTING_BY_ROLE[role]));
  const all = [...problems, ...others.flatMap((role) => examineSettings(role, environment).problems)];
  const named = [...new Set(all)].map((text) => ({ text, name: /^[A-Z][A-Z\d_]+/.exec(text)?.[0] ?? '' }));
  const wrong = new Set(named.map(({ name }) => name));
  const ownerSetting = DATABASE_SETTING_BY_ROLE.operator;
  const findings = named
    .filter(({ name }) => unknown === null || name !== ownerSetting)
    .map(({ text, name }) =>
      problem('settings', text, `Correct ${name} here and for the processes, and restart them; see .env.example`),
    );
  if (unknown !== null) {
    findings.unshift(problem('settings', unknown, `Correct that, or set ${ownerSetting} to the database to check`));
  }
  return { configuration, wrong, findings: findings.length > 0 ? findings : [good('settings', 'their form is right')] };
}

export function isSet(environment: NodeJS.ProcessEnv, name: string): boolean {
  return Boolean(environment[name]?.trim());
}
