/** An entry in the `details` of a rejected document. Structure errors have no code. */
export interface CheckFinding {
  code: string | null;
  message: string;
  target: string;
  propertyPath: string | null;
}
