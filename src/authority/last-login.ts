/** The last login of a process in an environment, for its report. */
export interface LastLogin {
  readonly at: string;
  /** Whether our own client id and secret were accepted; null: the login did not show it. */
  readonly isAccepted: boolean | null;
  /** As the log states it. */
  readonly result: string;
}
