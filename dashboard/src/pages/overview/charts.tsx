import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { count } from '../../parts/format';
import { CHART_HEIGHT, type Day, OUTCOMES } from './outcomes';

/** Documents by day and outcome, stacked. Shown beside the same numbers as a table. */
export function OutcomesChart({ days }: { days: readonly Day[] }) {
  return (
    <BarChart
      h={CHART_HEIGHT}
      data={days.map(({ day, counts }) => ({ day: day.slice(5), ...counts }))}
      dataKey="day"
      type="stacked"
      series={OUTCOMES.map(({ member, label, color }) => ({ name: member, label, color }))}
      valueFormatter={count}
      withLegend
      aria-hidden
    />
  );
}

export function CreditsChart({ days }: { days: readonly Day[] }) {
  return (
    <BarChart
      h={CHART_HEIGHT}
      data={days.map(({ day, creditsUsed }) => ({ day: day.slice(5), creditsUsed }))}
      dataKey="day"
      series={[{ name: 'creditsUsed', label: 'Credits used', color: 'indigo.6' }]}
      valueFormatter={count}
      aria-hidden
    />
  );
}
