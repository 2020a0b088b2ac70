import { useMediaQuery } from '@mantine/hooks';

export const NARROW = '(max-width: 40em)';

export function useNarrow(): boolean {
  return useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
}
