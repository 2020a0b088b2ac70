/** A refused operator's request. The message states the reason and the fix, and is shown unchanged. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OperatorError';
  }
}
