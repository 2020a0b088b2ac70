export type Headers = Record<string, string>;

/** How the response is sent. `cut` closes the connection without a response, and `truncated` sends half of the body. */
export type Delivery = 'normal' | 'cut' | 'truncated' | 'slow' | 'late';

export interface SimulatorResponse {
  status: number;
  headers: Headers;
  body: string;
  delivery: Delivery;
}

export function jsonResponse(status: number, value: unknown, headers: Headers = {}): SimulatorResponse {
  const withType = { 'Content-Type': 'application/json; charset=utf-8', ...headers };
  return { status, headers: withType, body: JSON.stringify(value), delivery: 'normal' };
}

export function htmlResponse(status: number, body: string): SimulatorResponse {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body, delivery: 'normal' };
}

export function emptyResponse(status: number): SimulatorResponse {
  return { status, headers: {}, body: '', delivery: 'normal' };
}
