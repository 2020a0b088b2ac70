import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';

/**
 * What the address of the open page asks for, as soon as it was written. The route's own search comes later, once all
 * that the page needs is there: a field that showed that one would lose what is typed meanwhile.
 */
export function useAddressSearch(): Record<string, unknown> {
  const { pathname, search } = useLocation();
  const [own, setOwn] = useState({ pathname, search });
  // The address of the next page comes while this one is still shown.
  if (pathname !== own.pathname) return own.search;
  if (search !== own.search) setOwn({ pathname, search });
  return search;
}
