import { useMediaQuery } from '@mantine/hooks';

/** The width of a phone. */
export const NARROW = '(max-width: 40em)';

/** Whether the window is as narrow as a phone's. */
export function useNarrow(): boolean {
  return useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
}
