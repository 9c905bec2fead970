import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processMetrics } from './process-metrics.js';

test('processor time counts from the start of the process, whenever it is read first', async () => {
  const { user, system } = process.cpuUsage();
  const metrics = processMetrics();
  for (const prefix of ['', 'mb_']) {
    const text = await metrics.text(prefix);
    const value = (name: string) => Number(new RegExp(`^${prefix}process_cpu_${name} (.*)$`, 'm').exec(text)?.[1]);
    assert.ok(value('user_seconds_total') >= user / 1e6, text);
    assert.ok(value('system_seconds_total') >= system / 1e6, text);
    const parts = value('user_seconds_total') + value('system_seconds_total');
    assert.ok(Math.abs(value('seconds_total') - parts) < 1e-4, text);
  }
});
