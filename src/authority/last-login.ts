/** Last login of a process in an environment, for its process report. */
export interface LastLogin {
  readonly at: string;
  /** Whether our client id and secret were accepted. Null if the login did not show it. */
  readonly isAccepted: boolean | null;
  /** The result as written to the log. */
  readonly result: string;
}
