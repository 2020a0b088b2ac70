import type { Explanation } from '../../errors/explanation.js';
import { buildProfileHint, type ProfileField } from '../profile-fields.js';

export const WHOLE_DOCUMENT = 'whole document';
export const SUPPLIER_PROFILE = "supplier's profile";

/** JSON Pointer relative to the document. `*` is the line, and `{id}` the member with the buyer's id. */
export type FieldPath = `/${string}` | typeof WHOLE_DOCUMENT | typeof SUPPLIER_PROFILE;

export interface AuthorityErrorEntry extends Explanation {
  readonly authorityCode: string | null;
  readonly code: string;
  readonly fieldPath: FieldPath;
  readonly profileField?: ProfileField;
  /** Matches step, path and message on separate lines, because several errors share a code. The first match applies. */
  readonly when?: RegExp;
}

export const CORRECT_PROFILE = buildProfileHint(null);
