import { Button, type ButtonProps, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { nextPage, type Paging, previousPage } from './paging';

interface PagerProps {
  label: string;
  query: Pick<UseQueryResult<{ next: string | null }>, 'data' | 'isSuccess' | 'isPlaceholderData'>;
  paging?: Paging;
  onPaging?: (paging: Paging) => void;
}

/** Renders nothing for a list of one page. */
export function Pager({ label, query, paging, onPaging }: PagerProps) {
  if (paging === undefined || onPaging === undefined) return null;
  const next = query.data?.next ?? null;
  const isFirst = paging.pages === undefined;
  const isOnly = isFirst && next === null && query.isSuccess;
  if (isOnly) return null;
  return (
    <Group component="nav" aria-label={`Pages of ${label}`} justify="flex-end" gap="xs">
      <PageButton leftSection={<IconChevronsLeft size={16} />} isEnd={isFirst} onClick={() => onPaging({})}>
        First
      </PageButton>
      <PageButton
        leftSection={<IconChevronLeft size={16} />}
        isEnd={isFirst}
        onClick={() => onPaging(previousPage(paging))}
      >
        Previous
      </PageButton>
      <PageButton
        rightSection={<IconChevronRight size={16} />}
        isEnd={next === null || query.isPlaceholderData}
        onClick={() => next !== null && onPaging(nextPage(paging, next))}
      >
        Next
      </PageButton>
    </Group>
  );
}

interface PageButtonProps extends ButtonProps {
  /** Disabled at the end, but keeps the focus for keyboard users. */
  isEnd: boolean;
  onClick: () => void;
}

function PageButton({ isEnd, ...props }: PageButtonProps) {
  return <Button variant="default" data-disabled={isEnd || undefined} aria-disabled={isEnd} {...props} />;
}
