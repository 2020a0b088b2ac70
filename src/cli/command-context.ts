/** What a diagnosis is started with, as far as it is known: it must work where half of it is wrong. */
export interface CommandContext {
  /** With the embedded database's address, where that is the database. */
  readonly environment: NodeJS.ProcessEnv;
  /** Why the address of the database is not known. */
  readonly problem: string | null;
  /** Of `npm start` on the embedded database; null where the log is another program's, or an earlier demo's. */
  readonly logFile: string | null;
}

/** Injection token of what the command was started with. */
export const COMMAND_CONTEXT = Symbol('CommandContext');
