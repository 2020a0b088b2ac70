/** The environment of `doctor`, which must run even if settings are wrong or the database is down. */
export interface CommandContext {
  /** Includes the address of the embedded database if that is used. */
  readonly environment: NodeJS.ProcessEnv;
  /** Why the address of the database is unknown, or null. */
  readonly problem: string | null;
}

export const COMMAND_CONTEXT = Symbol('CommandContext');
