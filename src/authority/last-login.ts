export interface LastLogin {
  readonly at: string;
  /** Whether our client id and secret were accepted. Null if the login did not show it. */
  readonly isAccepted: boolean | null;
  readonly result: string;
}
