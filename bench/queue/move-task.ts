/** Task for a program that moves a queue. */
export interface MoveTask {
  readonly databaseUrl: string;
  /** Number of connections and concurrent claims. */
  readonly workers: number;
  readonly documents: number;
  /** Timeout in seconds. The remaining documents stay queued. */
  readonly secondsMax: number;
}
