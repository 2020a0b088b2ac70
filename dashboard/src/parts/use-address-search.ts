import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';

/**
 * Returns the search of the open page's URL immediately. The search of the route changes only after its data is loaded,
 * so a field based on it would lose input.
 */
export function useAddressSearch(): Record<string, unknown> {
  const { pathname, search } = useLocation();
  const [own, setOwn] = useState({ pathname, search });
  // The URL changes to the next page while this page is still shown.
  if (pathname !== own.pathname) return own.search;
  if (search !== own.search) setOwn({ pathname, search });
  return search;
}
