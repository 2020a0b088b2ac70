/** How a call ended. `not-sent` proves that no byte left this machine. Every uncertain case is `no-response`. */
export type Ending = AuthorityResponse | NotSent | NoResponse;

export interface AuthorityResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Names are in lower case. Repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly text: string;
  readonly correlationId: string | null;
}

export interface NotSent {
  readonly kind: 'not-sent';
  readonly reason: string;
  /** Aborted by a signal, the deadline or a lack of file descriptors, so the authority did not fail. */
  readonly isGivenUp: boolean;
}

interface NoResponse {
  readonly kind: 'no-response';
  readonly reason: string;
  readonly isGivenUp: boolean;
}
