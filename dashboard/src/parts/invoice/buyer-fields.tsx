import { Button, Fieldset, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Ref } from 'react';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import type { Scope } from '../../api/session';
import { ErrorAlert } from '../error-alert';
import { HOME, isAbroad } from '../home-country';
import { INPUT_FIRST } from '../input-order';
import { Notice } from '../notice';
import { CodeSelect } from '../organisation/code-select';
import { readUnmatched } from '../unmatched';
import { useResultFocus } from '../use-result-focus';
import type { InvoiceForm } from './field-problems';
import type { Remembered } from './remembered';
import { toBuyerValues } from './values';
import { NothingFound } from '../nothing-found';

const ID_KINDS = [
  { value: 'brn', label: 'Company: BRN' },
  { value: 'nric', label: 'Person: NRIC' },
  { value: 'passport', label: 'Person: passport' },
  { value: 'army', label: 'Person: army number' },
];

/** The authority's general TIN for foreign buyers without a TIN. */
const FOREIGN_BUYER_TIN = 'EI00000000020';

const PATH = 'documents.0.recipient';

interface BuyerProps {
  form: InvoiceForm;
  scope: Scope;
  buyers: Remembered['buyers'];
}

export function BuyerFields({ form, scope, buyers }: BuyerProps) {
  const [{ recipient }] = form.values.documents;
  const { country, idKind, tin } = recipient;
  const field = (name: keyof typeof recipient) => form.getInputProps(`${PATH}.${name}`);
  const isHome = country === HOME;
  return (
    <Fieldset legend="Buyer">
      <Stack>
        {buyers.length > 0 && (
          <Select
            label="Earlier buyer"
            placeholder="Fill in a buyer of an earlier invoice"
            searchable
            nothingFoundMessage={<NothingFound text="No earlier buyer of that name" />}
            data={buyers.map((buyer, index) => ({ value: String(index), label: `${buyer.name}, ${buyer.tin}` }))}
            value={null}
            onChange={(index) => index !== null && form.setFieldValue(PATH, toBuyerValues(buyers[Number(index)]))}
          />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label="Buyer’s name" withAsterisk {...field('name')} />
          <CodeSelect
            label="Buyer’s country"
            list="countries"
            withAsterisk
            allowDeselect={false}
            {...field('country')}
            onChange={(chosen) => {
              form.setFieldValue(`${PATH}.country`, chosen ?? HOME);
              // The list of states depends on the country. Incomplete text is not a country yet.
              if (readUnmatched(chosen) === null) form.setFieldValue(`${PATH}.state`, '');
            }}
          />
          <TextInput label="Buyer’s TIN" withAsterisk {...field('tin')} />
          <Select label="Buyer’s kind of id" data={ID_KINDS} allowDeselect={false} withAsterisk {...field('idKind')} />
          <TextInput
            label="Buyer’s id number"
            description={!isHome && idKind === 'brn' ? 'Enter NA if the company abroad has none.' : undefined}
            inputWrapperOrder={INPUT_FIRST}
            withAsterisk
            key={idKind}
            {...field(idKind)}
          />
        </SimpleGrid>
        {!isHome && tin === '' && (
          <Group>
            <Button size="xs" variant="default" onClick={() => form.setFieldValue(`${PATH}.tin`, FOREIGN_BUYER_TIN)}>
              The buyer has no TIN: use {FOREIGN_BUYER_TIN}
            </Button>
          </Group>
        )}
        <TinCheck key={`${tin} ${idKind} ${recipient[idKind]}`} scope={scope} recipient={recipient} />
        <AddressFields form={form} />
      </Stack>
    </Fieldset>
  );
}

function AddressFields({ form }: Pick<BuyerProps, 'form'>) {
  const [{ recipient }] = form.values.documents;
  const field = (name: keyof typeof recipient) => form.getInputProps(`${PATH}.${name}`);
  const isHome = !isAbroad(recipient.country);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput label="Buyer’s address" withAsterisk {...field('addressLine1')} />
      <TextInput label="Buyer’s address, second line" {...field('addressLine2')} />
      <TextInput label="Buyer’s address, third line" {...field('addressLine3')} />
      <TextInput label="Buyer’s city" withAsterisk {...field('city')} />
      <TextInput label="Buyer’s postcode" withAsterisk={isHome} {...field('postcode')} />
      {isHome ? (
        <CodeSelect
          label="Buyer’s state"
          list="states"
          by="slug"
          withAsterisk
          allowDeselect={false}
          {...field('state')}
        />
      ) : (
        <TextInput label="Buyer’s state" {...field('state')} />
      )}
      <TextInput
        label="Buyer’s phone"
        description="If empty, your phone number is sent."
        inputWrapperOrder={INPUT_FIRST}
        {...field('phone')}
      />
      <TextInput label="Buyer’s e-mail address" {...field('email')} />
      <TextInput label="Buyer’s SST number" {...field('sstNumber')} />
    </SimpleGrid>
  );
}

type Check = components['schemas']['TaxpayerCheckDto'];

function TinCheck({
  scope,
  recipient,
}: Pick<BuyerProps, 'scope'> & { recipient: InvoiceForm['values']['documents'][0]['recipient'] }) {
  const { tin, idKind } = recipient;
  const idValue = recipient[idKind];
  const check = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST('/api/dashboard/organisations/{tenantId}/{environment}/tin-checks', {
          params: { path: scope },
          body: { tin, idType: ID_TYPES[idKind], idValue },
        }),
      ),
  });
  const verdict = useResultFocus<HTMLDivElement>(check.data);
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        size="xs"
        variant="default"
        data-tin-check
        disabled={tin.trim() === '' || idValue.trim() === ''}
        loading={check.isPending}
        onClick={() => check.mutate()}
      >
        Check TIN and id
      </Button>
      <div aria-live="polite">{check.data !== undefined && <Verdict ref={verdict} check={check.data} />}</div>
      <ErrorAlert error={check.error} />
    </Stack>
  );
}

const ID_TYPES = { brn: 'BRN', nric: 'NRIC', passport: 'PASSPORT', army: 'ARMY' } as const;

function Verdict({ check: { valid, reason }, ref }: { check: Check; ref: Ref<HTMLDivElement> }) {
  return <Notice ref={ref} kind={valid ? 'good' : 'warning'} title={VERDICTS[reason ?? 'known']} />;
}

const VERDICTS: Readonly<Record<NonNullable<Check['reason']> | 'known', string>> = {
  known: 'The authority knows this TIN with this id',
  general: 'This is one of the authority’s general TINs',
  malformed: 'This is not a valid TIN',
  not_found: 'The authority does not know this TIN with this id',
};
