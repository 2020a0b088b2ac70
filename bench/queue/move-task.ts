/** Task of the program that moves a queue. */
export interface MoveTask {
  readonly databaseUrl: string;
  /** Number of connections and of concurrent claims. */
  readonly workers: number;
  readonly documents: number;
  /** Timeout, after which the remaining documents stay queued. */
  readonly secondsMax: number;
}
