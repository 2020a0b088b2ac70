/**
 * The authority's system to which an API key submits. All data of a tenant except credits belongs to one
 * (docs/rules.md#environments).
 */
export type Environment = 'sandbox' | 'production';
export const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'production'];
