import { Browser } from '../support/dashboard.js';
import type { TestService } from '../support/service.js';
import { type Ended, readCommand, runCommand } from './run-command.js';

/** Output of `user create` and `user reset-password`. */
export interface Made {
  readonly email: string;
  readonly isNew: boolean;
  readonly password: string | null;
  readonly link: string | null;
}

/** The commands of a service's users. */
export class UserCommand {
  constructor(private readonly service: TestService) {}

  run(words: readonly string[], input = ''): Promise<Ended> {
    return runCommand(this.service.database, ['user', ...words], input);
  }

  /** Runs a command that succeeds and returns its output with `--json`. */
  json<T>(words: readonly string[], input = ''): Promise<T> {
    return readCommand<T>(this.service.database, ['user', ...words], input);
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
