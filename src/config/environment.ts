/** The system of the authority to which an API key submits (docs/rules.md#environments). */
export type Environment = 'sandbox' | 'production';
export const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'production'];
