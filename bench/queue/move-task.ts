/** What the movers of a queue are asked for. */
export interface MoveTask {
  readonly databaseUrl: string;
  /** Connections, and claims under way at the same time. */
  readonly workers: number;
  /** How many are queued. */
  readonly documents: number;
  /** What is not moved by then stays queued. */
  readonly secondsMax: number;
}
