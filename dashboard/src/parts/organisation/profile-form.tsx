import { Button, Fieldset, Group, List, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ComponentType, type Ref, useState } from 'react';
import { unwrap, client } from '../../api/client';
import { sessionQuery } from '../../api/session';
import { DraftNotice, DraftState } from '../draft/draft-notice';
import { useDraft } from '../draft/use-draft';
import { ErrorAlert } from '../error-alert';
import { useFormCall, withButtonFocus } from '../form';
import { isAbroad } from '../home-country';
import { INPUT_FIRST } from '../input-order';
import { Notice } from '../notice';
import { toSentence, withFullStop } from '../sentence';
import { useResultFocus } from '../use-result-focus';
import { CodeSelect, IndustrySelect } from './code-select';
import {
  type FieldDescription,
  FIELDS,
  ID_TYPES,
  type ProfileField,
  type ProfileInputKind,
  type ProfileSection,
  STATE_ABROAD,
} from './profile-fields';
import { type OrganisationDetails, organisationQuery, type Profile } from './queries';

interface ProfileFormProps {
  organisation: OrganisationDetails;
  section: ProfileSection;
  isReadOnly: boolean;
  submitLabel: string;
  /** Text next to the button, such as "Saved". */
  note?: string;
  onSaved: () => unknown;
}

/** Form of one profile section. A save sends only the changed fields. */
export function ProfileForm({ organisation, section, isReadOnly, submitLabel, note, onSaved }: ProfileFormProps) {
  const { tenantId, profile } = organisation;
  const doubts = findDoubts(organisation, section);
  // Keeps the initial values because changes by another owner are not changes of this form.
  const [initial, setInitial] = useState(() => readSection(section, profile));
  const form = useForm<Record<string, string>>({
    mode: 'controlled',
    initialValues: initial,
    validate: (values) => findEmpty(section, values),
  });
  const draft = useDraft<Record<string, string>>({
    scope: [tenantId, 'profile', section.title],
    values: form.values,
    initial,
    onRestore: form.setValues,
    basis: JSON.stringify(initial),
    isOff: isReadOnly,
  });
  const queryClient = useQueryClient();
  const router = useRouter();
  const [saves, setSaves] = useState(0);
  const [saved, doubtful] = [useResultFocus<HTMLOutputElement>(saves), useResultFocus<HTMLDivElement>(saves)];
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (values) => saveProfile(tenantId, pickChanged(values, form.isDirty)),
    async (saved) => {
      const isNew = form.isDirty();
      const shown = readSection(section, saved);
      setInitial(shown);
      draft.finish(shown);
      form.setValues(shown);
      form.resetDirty();
      const current = await queryClient.fetchQuery({ ...organisationQuery(tenantId), staleTime: 0 });
      if (saved.name !== profile.name) {
        await queryClient.invalidateQueries(sessionQuery);
        await router.invalidate();
      }
      // Doubts are shown once. The second save without a change continues.
      if (!isNew || findDoubts(current, section).length === 0) await onSaved();
      setSaves((count) => count + 1);
    },
  );
  return (
    <form onSubmit={withButtonFocus(onSubmit)} noValidate aria-label={section.title}>
      <Stack>
        <ErrorAlert
          error={problems.length > 0 || Object.keys(form.errors).length === 0 ? error : null}
          problems={problems}
        />
        <DraftNotice draft={draft} />
        <Fields form={form} section={section} isReadOnly={isReadOnly} isLocked={pending} />
        <Doubts ref={doubtful} doubts={doubts} />
        {!isReadOnly && (
          <Group>
            <Button type="submit" loading={pending} disabled={draft.isLocked}>
              {doubts.length > 0 && !form.isDirty() ? `${submitLabel} anyway` : submitLabel}
            </Button>
            <Text component="output" ref={note === '' ? undefined : saved} tabIndex={-1} size="sm" c="dimmed">
              {note}
            </Text>
            <DraftState draft={draft} />
          </Group>
        )}
      </Stack>
    </form>
  );
}

function Doubts({ doubts, ref }: Pick<OrganisationDetails, 'doubts'> & { ref: Ref<HTMLDivElement> }) {
  if (doubts.length === 0) return null;
  return (
    <Notice ref={ref} kind="warning" title="Saved. Check this before you continue">
      <List size="sm">
        {doubts.map((doubt) => (
          <List.Item key={doubt.message}>{withFullStop(toSentence(doubt))}</List.Item>
        ))}
      </List>
    </Notice>
  );
}

function findDoubts({ doubts }: OrganisationDetails, { fields }: ProfileSection): OrganisationDetails['doubts'] {
  return doubts.filter(({ field }) => fields.some((one) => one === field));
}

/** The service accepts an incomplete profile, but the form requires a complete section. */
function findEmpty({ fields }: ProfileSection, values: Record<string, string | null>): Record<string, string> {
  const empty = fields.filter((field) => FIELDS[field].isNeeded === true && (values[field] ?? '').trim() === '');
  return Object.fromEntries(empty.map((field) => [field, `${FIELDS[field].label} is required`]));
}

type InputProps = ReturnType<ReturnType<typeof useForm<Record<string, string>>>['getInputProps']>;

interface ShownProps extends InputProps {
  label: string;
  description: string | undefined;
  inputWrapperOrder: typeof INPUT_FIRST;
  withAsterisk: boolean;
  readOnly: boolean;
  autoComplete: string;
}

const INPUTS: Record<ProfileInputKind, ComponentType<ShownProps>> = {
  text: TextInput,
  idType: (props) => <Select data={ID_TYPES} allowDeselect={false} {...props} />,
  industry: IndustrySelect,
  state: (props) => <CodeSelect list="states" {...props} />,
  country: (props) => <CodeSelect list="countries" {...props} />,
  taxType: (props) => <CodeSelect list="tax-types" without="E" {...props} />,
  classification: (props) => <CodeSelect list="classifications" clearable {...props} />,
};

type Form = ReturnType<typeof useForm<Record<string, string>>>;

interface FieldsProps extends Pick<ProfileFormProps, 'section' | 'isReadOnly'> {
  form: Pick<Form, 'getInputProps' | 'setFieldValue' | 'values'>;
  /** Prevents that input during a save is overwritten by the response. */
  isLocked: boolean;
}

function Fields({ form, section, isReadOnly, isLocked }: FieldsProps) {
  return (
    <Fieldset variant="unstyled" disabled={isLocked}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {section.fields.map((field) => (
          <ProfileInput
            key={field}
            {...describeInput(field, form)}
            isReadOnly={isReadOnly}
            props={getProfileInputProps(field, form)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

function describeInput(field: ProfileField, { values }: FieldsProps['form']): FieldDescription {
  return field === 'stateCode' && isAbroad(values.country) ? STATE_ABROAD : FIELDS[field];
}

function getProfileInputProps(field: ProfileField, form: FieldsProps['form']): InputProps {
  const props = form.getInputProps(field);
  if (field !== 'country') return props;
  return {
    ...props,
    onChange: (country: string | null) => {
      props.onChange(country);
      // A Malaysian state is not valid abroad, and vice versa.
      if (isAbroad(country) !== isAbroad(form.values.country)) form.setFieldValue('stateCode', '');
    },
  };
}

interface ProfileInputProps extends FieldDescription {
  isReadOnly: boolean;
  props: InputProps;
}

function ProfileInput({
  label,
  description,
  input = 'text',
  isNeeded = false,
  autoComplete = 'off',
  isReadOnly,
  props,
}: ProfileInputProps) {
  const Input = INPUTS[input];
  return (
    <Input
      label={label}
      description={description}
      inputWrapperOrder={INPUT_FIRST}
      withAsterisk={isNeeded && !isReadOnly}
      readOnly={isReadOnly}
      autoComplete={autoComplete}
      {...props}
    />
  );
}

function readSection({ fields }: ProfileSection, profile: Profile): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, chooseInitial(field, profile[field])]));
}

function saveProfile(tenantId: string, body: Record<string, string>): Promise<Profile> {
  return unwrap(
    client.PATCH('/api/dashboard/organisations/{tenantId}/profile', { params: { path: { tenantId } }, body }),
  );
}

const ID: readonly string[] = ['idType', 'idValue'] satisfies ProfileField[];

/** Returns the changed fields, so that changes by other owners are kept. Kind and number of an id belong together. */
function pickChanged(values: Record<string, string>, isDirty: (field: string) => boolean): Record<string, string> {
  const isChanged = (field: string) => (ID.includes(field) ? ID.some(isDirty) : isDirty(field));
  return Object.fromEntries(Object.entries(values).filter(([field]) => isChanged(field)));
}

// Default: company.
function chooseInitial(field: ProfileField, value: string | null): string {
  return value ?? (field === 'idType' ? 'BRN' : '');
}
