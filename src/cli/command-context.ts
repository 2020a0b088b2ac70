/** The environment of `doctor`, which must run even if settings are wrong or the database is down. */
export interface CommandContext {
  /** Includes the embedded database's address if that database is used. */
  readonly environment: NodeJS.ProcessEnv;
  /** Why the database's address is unknown; null if it is known. */
  readonly problem: string | null;
}

/** Injection token of the command's context. */
export const COMMAND_CONTEXT = Symbol('CommandContext');
