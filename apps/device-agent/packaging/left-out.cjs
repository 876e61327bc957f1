// Stands in the bundle for what it goes without.
module.exports = () => undefined
