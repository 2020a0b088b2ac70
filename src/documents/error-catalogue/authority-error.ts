import type { Explanation } from '../../errors/explanation.js';
import { buildProfileHint, type ProfileField } from '../profile-fields.js';

export const WHOLE_DOCUMENT = 'whole document';
/** The supplier's values come from the profile, so the request contains no field for them. */
export const SUPPLIER_PROFILE = "supplier's profile";

/**
 * JSON Pointer relative to the caller's document. `*` is the line, and `{id}` is the id that the caller sent (`brn`,
 * `nric`, `passport` or `army`).
 */
export type FieldPath = `/${string}` | typeof WHOLE_DOCUMENT | typeof SUPPLIER_PROFILE;

export interface AuthorityErrorEntry extends Explanation {
  /** Null if the authority sends no code. */
  readonly authorityCode: string | null;
  /** Stable snake_case code of the service. */
  readonly code: string;
  readonly fieldPath: FieldPath;
  /** Field of the profile, unless the finding names another. */
  readonly profileField?: ProfileField;
  /**
   * Distinguishes errors with the same authority code. Matches a text with step, path and message on separate lines.
   * The first matching row applies.
   */
  readonly when?: RegExp;
}

export const CORRECT_PROFILE = buildProfileHint(null);
