/** What an operator asked for cannot be done; the message says why and what to do instead, and is shown as it is. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OperatorError';
  }
}
