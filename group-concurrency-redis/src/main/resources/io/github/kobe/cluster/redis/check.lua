#!lua flags=no-writes
-- Tells why exchange.lua can't be carried out on this server, for as long as nobody changes how it is set up; nothing: it can.
-- A service may not allow scripts to ask, and neither may the rights of the user.

local info = redis.pcall('INFO', 'server', 'replication')
if type(info) == 'table' then
    return { info.err }
end
for _, field in ipairs({ 'run_id', 'master_replid' }) do
    if not string.find(info, '\n' .. field .. ':', 1, true) then
        return { 'it tells no ' .. field }
    end
end
return {}
