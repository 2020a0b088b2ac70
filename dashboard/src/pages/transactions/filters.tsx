import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { SubmitterSelect } from '../../parts/actor';
import { DOCUMENT_TYPES, formatDocumentType } from '../../parts/format';
import { FAILURE_ACTIONS, type ListFilters, STATUSES } from './list-search';

const STATUS_NAMES: Partial<Record<string, string>> = { SubmitFailed: 'Submit failed', Waiting: 'Waiting (any)' };
const TYPE_CHOICES = DOCUMENT_TYPES.map((value) => ({ value, label: formatDocumentType(value) }));
const STATUS_CHOICES = STATUSES.map((value) => ({ value, label: STATUS_NAMES[value] ?? value }));
const ACTION_CHOICES = [
  { value: 'needed', label: 'Needs action' },
  { value: 'dismissed', label: 'Dismissed' },
];

interface FiltersProps {
  place: { tenantId: string; environment: 'sandbox' | 'production' };
  filters: ListFilters;
  onChange: (filters: ListFilters) => void;
}

/** The filters of the list; each is applied as it is chosen, a document number when it is entered. */
export function Filters({ place, filters, onChange }: FiltersProps) {
  const set = (changed: ListFilters) => onChange({ ...filters, ...changed });
  return (
    <>
      <Select
        label="Status"
        placeholder="All"
        data={STATUS_CHOICES}
        value={filters.status ?? null}
        onChange={(status) => set({ status: STATUSES.find((one) => one === status) })}
        clearable
        w={160}
      />
      <Select
        label="Type"
        placeholder="Both"
        data={TYPE_CHOICES}
        value={filters.type ?? null}
        onChange={(type) => set({ type: DOCUMENT_TYPES.find((one) => one === type) })}
        clearable
        w={140}
      />
      <FailureSelect action={filters.action} onChange={(action) => set({ action, cause: undefined })} />
      <TextInput
        type="date"
        label="Accepted from"
        value={filters.from ?? ''}
        max={filters.to}
        onChange={({ currentTarget }) => set({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Accepted to"
        value={filters.to ?? ''}
        min={filters.from}
        onChange={({ currentTarget }) => set({ to: currentTarget.value })}
      />
      <ReferenceInput
        // Another number in the address is another start.
        key={filters.reference ?? ''}
        reference={filters.reference ?? ''}
        onEnter={(reference) => set({ reference })}
      />
      <SubmitterSelect place={place} by={filters.by} onChange={(by) => set({ by })} />
      <Checkbox
        label="Replaced attempts too"
        mt="auto"
        pb="xs"
        checked={filters.attempts === 'all'}
        onChange={({ currentTarget }) => set({ attempts: currentTarget.checked ? 'all' : undefined })}
      />
      {filters.cause !== undefined && (
        <Chip label="One cause" removes="show all causes" onRemove={() => set({ cause: undefined })} />
      )}
      {filters.batch !== undefined && (
        <Chip
          label={`Batch …${filters.batch.slice(-8)}`}
          removes="show all batches"
          onRemove={() => set({ batch: undefined })}
        />
      )}
      {Object.keys(filters).length > 0 && (
        <Button variant="subtle" mt="auto" onClick={() => onChange({})}>
          Clear filters
        </Button>
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
      w={160}
    />
  );
}

/** A filter that a link has set: it can be removed, not chosen. */
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

function ReferenceInput({ reference, onEnter }: { reference: string; onEnter: (reference: string) => void }) {
  const [text, setText] = useState(reference);
  const enter = () => {
    if (text.trim() !== reference) onEnter(text.trim());
  };
  return (
    <TextInput
      label="Document number"
      placeholder="Exact, then Enter"
      value={text}
      maxLength={50}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={enter}
      onKeyDown={({ key }) => key === 'Enter' && enter()}
    />
  );
}
