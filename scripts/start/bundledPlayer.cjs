/** The player of regression workers (bin/player.ts), from the bundle if there is one. */

const { dirname } = require('node:path');
const { loadPrograms } = require('./program.cjs');

exports.createPlayer = async (settings, host) => {
  const { createPlayer } = loadPrograms(dirname(dirname(__dirname))) ?? (await import('../../dist/bin/player.js'));
  return createPlayer(settings, host);
};
