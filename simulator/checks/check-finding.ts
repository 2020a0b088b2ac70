/** One entry of a refused document's `details`; structure errors have no code. */
export interface CheckFinding {
  code: string | null;
  message: string;
  target: string;
  propertyPath: string | null;
}
