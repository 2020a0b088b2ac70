import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { formatCount } from '../../parts/format';
import { formatDay } from '../../parts/malaysian-time';
import { CHART_HEIGHT, type Day, OUTCOMES } from './outcomes';

// Hidden from screen readers and the keyboard because the table below has the same data.
const HIDDEN_FROM_ASSISTIVE = { barChartProps: { accessibilityLayer: false }, 'aria-hidden': true } as const;

export function OutcomesChart({ days }: { days: readonly Day[] }) {
  return (
    <BarChart
      h={CHART_HEIGHT}
      data={days.map(({ day, counts }) => ({ day: formatDay(day).slice(0, -' 2026'.length), ...counts }))}
      dataKey="day"
      type="stacked"
      series={OUTCOMES.map(({ member, label, color }) => ({ name: member, label, color }))}
      valueFormatter={formatCount}
      withLegend
      // Keeps the order of the stack instead of sorting by name.
      legendProps={{ itemSorter: null }}
      {...HIDDEN_FROM_ASSISTIVE}
    />
  );
}

export function CreditsChart({ days }: { days: readonly Day[] }) {
  return (
    <BarChart
      h={CHART_HEIGHT}
      data={days.map(({ day, creditsUsed }) => ({ day: formatDay(day).slice(0, -' 2026'.length), creditsUsed }))}
      dataKey="day"
      series={[{ name: 'creditsUsed', label: 'Credits used', color: 'indigo.6' }]}
      valueFormatter={formatCount}
      {...HIDDEN_FROM_ASSISTIVE}
    />
  );
}
