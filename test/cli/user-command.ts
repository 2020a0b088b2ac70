import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { runCli } from '../../src/processes/cli.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { Browser } from '../support/dashboard.js';
import type { TestService } from '../support/service.js';

export interface Ended {
  exitCode: number;
  out: string;
  error: string;
}

/** What `user create` and `user reset-password` print. */
export interface Made {
  readonly email: string;
  readonly isNew: boolean;
  readonly password: string | null;
  readonly link: string | null;
}

/** The commands of a service's users. */
export class UserCommand {
  constructor(private readonly service: TestService) {}

  async run(words: readonly string[], input = ''): Promise<Ended> {
    const configuration = readConfiguration('operator', { DATABASE_OWNER_URL: this.service.database.ownerUrl });
    const ended = { exitCode: -1, out: '', error: '' };
    const output = {
      out: (text: string) => (ended.out += text),
      error: (text: string) => (ended.error += text),
    };
    ended.exitCode = await runCli(configuration, ['user', ...words], output, Readable.from([input]));
    return ended;
  }

  /** What a command that succeeds prints with `--json`. */
  async json<T>(words: readonly string[], input = ''): Promise<T> {
    const ended = await this.run([...words, '--json'], input);
    expect(ended).toMatchObject({ exitCode: 0, error: '' });
    return JSON.parse(ended.out) as T;
  }

  /** A browser that is signed in with this password; null when it opens nothing. */
  async signIn(email: string, password: string | null): Promise<Browser | null> {
    const browser = new Browser(this.service);
    return (await browser.enter('/sign-in', { email, password: password ?? '' })).status === 200 ? browser : null;
  }
}

/** The secret in the fragment of a link. */
export function secretIn(link: string | null): string {
  return link?.split('#')[1] ?? '';
}
