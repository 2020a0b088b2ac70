import { Button, Checkbox, CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { asFailure } from '../../api/errors';
import type { Scope } from '../../api/session';
import { SubmitterSelect } from '../../parts/actor';
import { DayFilter } from '../../parts/day-input';
import { useNarrow } from '../../parts/use-narrow';
import { DOCUMENT_TYPES, formatDocumentType } from '../../parts/format';
import { toSentence, withFullStop } from '../../parts/sentence';
import { ErrorSelect } from './error-select';
import { FAILURE_ACTIONS, findSort, type ListFilters, sortBy, STATUSES } from './list-search';

const STATUS_NAMES: Partial<Record<string, string>> = { SubmitFailed: 'Submit failed', Waiting: 'Waiting (any)' };
const TYPE_CHOICES = DOCUMENT_TYPES.map((value) => ({ value, label: formatDocumentType(value) }));
const STATUS_CHOICES = STATUSES.map((value) => ({ value, label: STATUS_NAMES[value] ?? value }));
const ACTION_CHOICES = [
  { value: 'needed', label: 'Needs action' },
  { value: 'dismissed', label: 'Dismissed' },
];

const SORT_CHOICES = [
  { value: '-date', label: 'Date, latest first' },
  { value: 'date', label: 'Date, earliest first' },
  { value: '-amount', label: 'Amount, highest first' },
  { value: 'amount', label: 'Amount, lowest first' },
];

interface FiltersProps {
  scope: Scope;
  filters: ListFilters;
  error: unknown;
  onChange: (changed: ListFilters) => void;
}

/** Fits a date. On a phone, two fields share a row. */
const NARROW = { flex: '1 1 9.5rem', maw: { xs: 150 } } as const;

/** Filters that are hidden only in a narrow window. */
const COMMON = ['status', 'dated_from', 'dated_to'] as const satisfies readonly (keyof ListFilters)[];

/** Filters that are hidden by default. */
const RARE = [
  'type',
  'action',
  'error',
  'from',
  'to',
  'by',
  'attempts',
] as const satisfies readonly (keyof ListFilters)[];

/**
 * Filters of the list. The search is applied on Enter, the others when they change. The button shows the number of
 * hidden filters that are set.
 */
export function Filters({ scope, filters, error, onChange: set }: FiltersProps) {
  const isNarrow = useNarrow();
  const hidden = isNarrow ? [...COMMON, ...RARE] : RARE;
  const hiddenCount = hidden.filter((name) => filters[name] !== undefined).length;
  const [isOpen, { toggle }] = useDisclosure(!isNarrow && hiddenCount > 0);
  const common = <CommonFilters filters={filters} set={set} />;
  return (
    <>
      <SearchInput typed={filters.q ?? ''} problem={findSearchProblem(error)} onEnter={(q) => set({ q })} />
      {!isNarrow && common}
      <Button
        variant="default"
        mt="auto"
        leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls="hidden-filters"
        onClick={toggle}
      >
        {hiddenCount === 0 ? 'Filters' : `Filters (${hiddenCount})`}
      </Button>
      <Group id="hidden-filters" gap="sm" align="flex-end" w="100%" display={isOpen ? undefined : 'none'}>
        {isNarrow && common}
        <RareFilters scope={scope} filters={filters} set={set} />
      </Group>
      <OfLinks filters={filters} set={set} />
    </>
  );
}

interface PartProps {
  filters: ListFilters;
  set: (changed: ListFilters) => void;
}

function CommonFilters({ filters, set }: PartProps) {
  const { sort, status } = filters;
  return (
    <>
      <Select
        label="Status"
        placeholder="All"
        data={STATUS_CHOICES}
        value={status ?? null}
        onChange={(value) => set({ status: STATUSES.find((one) => one === value) })}
        clearable
        {...NARROW}
      />
      <Select
        label="Order"
        placeholder={findSort(filters) === undefined ? 'Newest first' : 'Date, latest first'}
        data={SORT_CHOICES}
        value={sort ?? null}
        onChange={(value) => set(sortBy(value))}
        clearable
        {...NARROW}
        maw={{ xs: 190 }}
      />
      <Period
        label="Dated"
        days={{ from: filters.dated_from, to: filters.dated_to }}
        isFiltered={isFiltered(filters)}
        onFrom={(day) => set({ dated_from: day })}
        onTo={(day) => set({ dated_to: day })}
      />
    </>
  );
}

function RareFilters({ scope, filters, set }: PartProps & Pick<FiltersProps, 'scope'>) {
  const { type, action } = filters;
  return (
    <>
      <Select
        label="Type"
        placeholder="Both"
        data={TYPE_CHOICES}
        value={type ?? null}
        onChange={(value) => set({ type: DOCUMENT_TYPES.find((one) => one === value) })}
        clearable
        {...NARROW}
      />
      <FailureSelect
        action={action}
        onChange={(changed) => set({ action: changed, cause: undefined, error: undefined })}
      />
      <ErrorSelect scope={scope} error={filters.error} onChange={(error) => set({ error })} />
      <Period
        label="Accepted"
        days={filters}
        isFiltered={isFiltered(filters)}
        onFrom={(from) => set({ from })}
        onTo={(to) => set({ to })}
      />
      <SubmitterSelect scope={scope} by={filters.by} onChange={(by) => set({ by })} />
      <Checkbox
        label="Include replaced attempts"
        mt="auto"
        pb="xs"
        checked={filters.attempts === 'all'}
        onChange={({ currentTarget }) => set({ attempts: currentTarget.checked ? 'all' : undefined, sort: undefined })}
      />
    </>
  );
}

interface PeriodProps {
  label: string;
  days: { from?: string; to?: string };
  isFiltered: boolean;
  onFrom: (day: string | undefined) => void;
  onTo: (day: string | undefined) => void;
}

function Period({ label, days: { from, to }, isFiltered, onFrom, onTo }: PeriodProps) {
  const shared = { ...NARROW, isFiltered };
  return (
    <>
      <DayFilter {...shared} label={`${label} from`} day={from} max={to} onDay={onFrom} />
      <DayFilter {...shared} label={`${label} to`} day={to} min={from} onDay={onTo} />
    </>
  );
}

function isFiltered(filters: ListFilters): boolean {
  return Object.keys(filters).length > 0;
}

function OfLinks({ filters: { cause, reference, batch }, set }: PartProps) {
  return (
    <>
      {cause !== undefined && (
        <Chip label="One cause" removes="show all causes" onRemove={() => set({ cause: undefined })} />
      )}
      {reference !== undefined && (
        <Chip label={`Number ${reference}`} removes="show all numbers" onRemove={() => set({ reference: undefined })} />
      )}
      {batch !== undefined && (
        <Chip
          label={`Batch …${batch.slice(-8)}`}
          removes="show all batches"
          onRemove={() => set({ batch: undefined })}
        />
      )}
    </>
  );
}

interface FailureSelectProps {
  action: ListFilters['action'];
  onChange: (action: ListFilters['action']) => void;
}

function FailureSelect({ action, onChange }: FailureSelectProps) {
  return (
    <Select
      label="Failures"
      placeholder="All documents"
      data={ACTION_CHOICES}
      value={action ?? null}
      onChange={(value) => onChange(FAILURE_ACTIONS.find((one) => one === value))}
      clearable
      {...NARROW}
    />
  );
}

function Chip({ label, removes, onRemove }: { label: string; removes: string; onRemove: () => void }) {
  return (
    <Button
      variant="light"
      mt="auto"
      rightSection={<IconX size={14} />}
      aria-label={`${label}: ${removes}`}
      onClick={onRemove}
    >
      {label}
    </Button>
  );
}

/** Whether the search field displays every problem of the error. */
export function isOnlyOfSearch(error: unknown): boolean {
  const problems = error === null ? [] : asFailure(error).problems;
  return problems.length > 0 && problems.every(({ pointer }) => pointer === '/q');
}

function findSearchProblem(error: unknown): string | null {
  const problem = error === null ? undefined : asFailure(error).problems.find(({ pointer }) => pointer === '/q');
  return problem === undefined ? null : withFullStop(`This ${toSentence(problem)}`);
}

interface SearchProps {
  typed: string;
  /** Reason why the text cannot be searched. */
  problem: string | null;
  onEnter: (typed: string) => void;
}

function SearchInput({ typed, problem, onEnter }: SearchProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(typed);
  const [known, setKnown] = useState(typed);
  // Resets the text when the search in the URL changes.
  if (known !== typed) {
    setKnown(typed);
    setText(typed);
  }
  const enter = () => {
    if (text.trim() !== typed) onEnter(text.trim());
  };
  const clear = () => {
    input.current?.focus();
    onEnter('');
  };
  return (
    <TextInput
      ref={input}
      type="search"
      label="Search"
      placeholder="Number, buyer, TIN, RM amount or UUID, then Enter"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={typed === '' ? null : <CloseButton aria-label="Clear the search" onClick={clear} />}
      value={text}
      error={problem}
      maxLength={100}
      flex={{ base: '1 1 10rem', sm: '1 1 16rem' }}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={enter}
      onKeyDown={({ key }) => key === 'Enter' && enter()}
    />
  );
}
