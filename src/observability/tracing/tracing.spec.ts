import { trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { formatTraceparent, getTraceId, parseTraceparent } from './tracing.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

describe('traceparent header', () => {
  it.each([
    { header: `00-${TRACE_ID}-${SPAN_ID}-01`, traceFlags: 1 },
    { header: `00-${TRACE_ID}-${SPAN_ID}-00`, traceFlags: 0 },
    // Only the flag defined by this version.
    { header: `00-${TRACE_ID}-${SPAN_ID}-ff`, traceFlags: 1 },
    { header: `cc-${TRACE_ID}-${SPAN_ID}-02-what-comes-later`, traceFlags: 0 },
  ])('is read: $header', ({ header, traceFlags }) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID, traceFlags });
  });

  it.each([
    undefined,
    null,
    '',
    'garbage',
    [`00-${TRACE_ID}-${SPAN_ID}-01`, `00-${TRACE_ID}-${SPAN_ID}-01`],
    `00-${TRACE_ID}-${SPAN_ID}-01, 00-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${SPAN_ID}`,
    `00-${TRACE_ID}-${SPAN_ID}-1`,
    `00-${TRACE_ID}-${SPAN_ID}-01-more`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `cc-${TRACE_ID}-${SPAN_ID}-01.more`,
    `00-${TRACE_ID}-${SPAN_ID}-01\n{"level":50}`,
    ` 00-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${TRACE_ID.slice(1)}'-${SPAN_ID}-01`,
  ])('is ignored when the standard calls it invalid: %j', (header) => {
    expect(parseTraceparent(header)).toBeNull();
  });

  it('is not marked as sampled for an unrecorded span', () => {
    const span = trace.wrapSpanContext({ traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 1 });
    expect(formatTraceparent(span)).toBe(`00-${TRACE_ID}-${SPAN_ID}-00`);
    expect(getTraceId(span)).toBe(TRACE_ID);
  });

  it('is omitted without a trace', () => {
    const span = trace.wrapSpanContext({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 });
    for (const none of [span, undefined]) {
      expect(formatTraceparent(none)).toBeUndefined();
      expect(getTraceId(none)).toBeUndefined();
    }
  });
});
