import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.spec.ts'],
    // A property over many texts may take a while on a busy machine; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
