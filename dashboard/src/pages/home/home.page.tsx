import { EmptyState } from '../../parts/empty-state';
import { Page } from '../../parts/page';
import { useOrganisation } from '../../shell/use-session';

/** Start page of an organisation without other pages. */
export function HomePage() {
  const { name } = useOrganisation();
  return (
    <Page title={name}>
      <EmptyState title="You are signed in" text="Choose a page in the menu." />
    </Page>
  );
}

export function NoOrganisationPage() {
  return (
    <Page title="Welcome">
      <EmptyState
        title="You are not in an organisation"
        text="Ask an owner of your organisation for an invitation link, and open the link in this browser."
      />
    </Page>
  );
}
