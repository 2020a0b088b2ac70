/** How a call ended. `not-sent` proves that no byte left this machine. Uncertain cases are `no-response`. */
export type Ending = AuthorityResponse | NotSent | NoResponse;

export interface AuthorityResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Header names are in lower case. Repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly text: string;
  readonly correlationId: string | null;
}

export interface NotSent {
  readonly kind: 'not-sent';
  readonly reason: string;
  /**
   * Whether the call was aborted by a signal, the deadline or a lack of file descriptors. Such a call is no failure of
   * the authority.
   */
  readonly isGivenUp: boolean;
}

interface NoResponse {
  readonly kind: 'no-response';
  readonly reason: string;
  readonly isGivenUp: boolean;
}
