import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../format';
import type { Scope } from '../../api/session';
import { needsActionQuery } from './query';

/** Shows the number in the menu. Changes are not announced to screen readers. */
export function NeedsActionCount({ scope }: { scope: Scope }) {
  const { data } = useQuery(needsActionQuery(scope));
  if (data === undefined || data.documents === 0) return null;
  const { documents, countedMax } = data;
  return (
    <Badge variant="filled" color="red.9" size="sm" miw="max-content" style={{ fontVariantNumeric: 'tabular-nums' }}>
      {formatCount(documents)}
      {documents === countedMax && '+'}
    </Badge>
  );
}
