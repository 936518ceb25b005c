#!lua flags=allow-oom
-- Carries out one statement: the twin of Exchange, Memory, Division and Fairness in io.github.kobe.internal.cluster, which
-- say what is meant. All that is remembered is in one hash, so it is lost or kept as a whole:
--
--   !            form epoch log last answered learnt lease births cursor run-id replication-id
--   n            each session: id birth sequence spoke real ends;
--   s:SESSION    the name of its node
--   h:SESSION    hints that are kept for it: each its length, ':' and its resource
--   g:KEY        each node: birth has want limit told spoke since granted fell hinted;
--
-- A session is given a number at its birth, and entries name that, so those of a session that is over, or was opened again,
-- count no more at once. Stamps of an entry but spoke are told as how long before spoke they were; '-' is NEVER. What can't be
-- read is taken as forgotten. Nothing is written before all is decided.
--
-- KEYS: the hash. ARGV: kind session epoch sequence after quiet lease form heartbeat node, and for each demand resource has
-- want spare limit. The channel for hints of a session is the key, a colon and the session.

local call, match, gmatch, sub, format = redis.call, string.match, string.gmatch, string.sub, string.format
local floor, max, min = math.floor, math.max, math.min

local NEVER, PLACE, PAUSE, TURN, MOST_HINTS, SWEEP = -1000000, 1000, 500, 20, 100, 32
local SUFFIX = 16777216
local UNMET = '*'
local ENTRY = '((%d+) (%d+) (%d+) (%d+) ([^;]*);)'
local REST = '^(%d+) (%-?%d*) (%-?%d*) (%-?%d*) (%-?%d*) (%-?%d*)$'

local key = KEYS[1]
local kind, me = ARGV[1], ARGV[2]
local stated, sequence, after, quiet = ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0, ARGV[6] + 0
local lease, form, heartbeat = ARGV[7] + 0, ARGV[8] + 0, ARGV[9] == '1'
local FIRST, EACH = 11, 5

local time = call('TIME')
local real = time[1] * 1000 + floor(time[2] / 1000)
local info = call('INFO', 'server', 'replication')
local run, replication = match(info, 'run_id:([^\r\n]+)'), match(info, 'master_replid:([^\r\n]+)')
if not run or not replication then
    return redis.error_reply('NOINFO this server does not tell scripts its run_id and master_replid')
end

-- ---- what is remembered

local fields = { '!', 'n', 'h:' .. me }
for at = FIRST, #ARGV, EACH do
    fields[#fields + 1] = ARGV[at]
end
local stored = call('HMGET', key, unpack(fields))

local known = false
local epoch, log, last, answered, learnt, births, cursor = 0, 0, real, real, 0, 0, '0'
local ofForm, ofLease, ofRun, ofReplication = form, lease, run, replication
if stored[1] then
    local f, e, lo, la, an, le, ls, b, c, r, p =
        match(stored[1], '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%S+)')
    if p then
        known = true
        ofForm, epoch, log, last, answered, learnt = f + 0, e + 0, lo + 0, la + 0, an + 0, le + 0
        ofLease, births, cursor, ofRun, ofReplication = ls + 0, b + 0, c, r, p
    else
        ofForm = (match(stored[1], '^(%d+) ') or form) + 0
    end
end

local function head(nodes, denied)
    return format('%.0f %.0f %.0f ', epoch, max(0, learnt - log), nodes or 0) .. (denied and '1' or '0')
end

if form < ofForm then
    return { 'REFUSED', head(), format('form %.0f, cluster has %.0f', form, ofForm) }
end

-- Sessions, by their place: the text, id, birth, sequence, when they spoke by the log and by the server, when they are over.
local texts, ids, bornAs, sequences, spokes, reals, ends = {}, {}, {}, {}, {}, {}, {}
local count, mine = 0, nil
if known and stored[2] then
    local size = 0
    for text, id, birth, s, spoke, at, over in gmatch(stored[2], '((%w+) (%d+) (%d+) (%d+) (%d+) (%d+);)') do
        size = size + #text
        count = count + 1
        texts[count], ids[count], bornAs[count], sequences[count] = text, id, birth, s + 0
        spokes[count], reals[count], ends[count] = spoke + 0, at + 0, over + 0
        if id == me then
            mine = count
        end
    end
    if size ~= #stored[2] then
        known = false
    end
end
if not known then
    epoch, log, last, answered, learnt, cursor = 0, 0, real, real, 0, '0'
    ofForm, ofLease, ofRun, ofReplication = form, lease, run, replication
    texts, count, mine, stored = {}, 0, nil, {}
end

-- ---- the clock

local function counter(number)
    return floor(number / SUFFIX)
end

local heard
if mine and after == sequences[mine] then
    answered = max(answered, reals[mine])
    heard = spokes[mine]
end
local gap = real - answered
if mine and sequence > sequences[mine] then
    gap = max(gap, quiet - (log - spokes[mine]))
end
local passed = real - last
if passed > floor(ofLease / 5) then
    local aware = heard and heard + min(quiet, floor(ofLease * 2 / 5)) - log or 0
    log = log + min(passed, max(floor(ofLease / 30), aware))
elseif passed > 0 then
    log = log + (passed > quiet + floor(ofLease * 2 / 15) and quiet or passed)
end
last = real
answered = min(answered, real)
local forgotten = gap >= floor(ofLease * 2 / 3) or run ~= ofRun or replication ~= ofReplication
    or (stated ~= epoch and counter(stated) >= counter(epoch))

-- ---- who is there, and whether another epoch begins

local spokeOf, idOf, alive = {}, {}, 0
for i = 1, count do
    if ends[i] > log then
        alive = alive + 1
        spokeOf[bornAs[i]], idOf[bornAs[i]] = spokes[i], ids[i]
    end
end

local otherLease = ofLease ~= lease
local refused = otherLease and alive > 0
if not refused then
    ofLease, ofForm = lease, form
end
if not known or forgotten or (otherLease and not refused) then
    local seed = format('%s %s %.0f %s %s', run, replication, real, me, ARGV[4])
    local suffix = tonumber(sub(redis.sha1hex(seed), 1, 6), 16)
    epoch = (max(counter(epoch), counter(stated)) + 1) * SUFFIX + suffix
    ofRun, ofReplication = run, replication
    learnt = max(learnt, log + ofLease)
    births = known and births or suffix -- so that what is left of before isn't taken for somebody's
end
local learning = learnt > log
local silence = floor(ofLease * 4 / 15)

-- ---- writing

local sets, removed = {}, {}

local function set(field, text)
    sets[#sets + 1] = field
    sets[#sets + 1] = text
end

-- As many at once as the stack of a call surely holds.
local function write(command, list)
    for from = 1, #list, 4000 do
        call(command, key, unpack(list, from, min(from + 3999, #list)))
    end
end

local function leave()
    set('!', format('%.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f ', ofForm, epoch, log, last, answered, learnt, ofLease, births)
        .. cursor .. ' ' .. ofRun .. ' ' .. ofReplication)
    write('HDEL', removed)
    write('HSET', sets)
end

local function without(what, reason)
    leave()
    return { what, head(), reason }
end

local function shown(millis)
    return millis % 1000 == 0 and millis / 1000 .. 's' or millis .. 'ms'
end

if refused then
    return without('REFUSED', 'lease ' .. shown(lease) .. ', cluster has ' .. shown(ofLease))
end
if mine and ends[mine] <= log or not mine and kind ~= 'OPEN' then
    return without('GONE')
end
if mine and sequence <= sequences[mine] then
    return without('STALE')
end

-- ---- hints

local function unpacked(text)
    local list, at = {}, 1
    while at <= #text do
        local size, from = match(text, '^(%d+):()', at)
        if not size or from + size > #text + 1 then
            return {}
        end
        at = from + size
        list[#list + 1] = sub(text, from, at - 1)
    end
    return list
end

local function packed(list)
    local parts = {}
    for i = 1, #list do
        parts[i] = #list[i] .. ':' .. list[i]
    end
    return table.concat(parts)
end

local function contains(list, one)
    for i = 1, #list do
        if list[i] == one then
            return true
        end
    end
    return false
end

local kept, told, toldTo = { [me] = stored[3] and unpacked(stored[3]) or {} }, {}, {}

-- A session speaks of a resource, so it needs no hint at it.
local function drop(resource)
    local list = kept[me]
    for i = 1, #list do
        if list[i] == resource then
            table.remove(list, i)
            return
        end
    end
end

local function hint(session, resource)
    local list = kept[session]
    if not list then
        local text = call('HGET', key, 'h:' .. session)
        list = text and unpacked(text) or {}
        kept[session] = list
    end
    if #list < MOST_HINTS and not contains(list, resource) then
        list[#list + 1] = resource
    end
    if session ~= me then
        if not told[session] then
            told[session] = {}
            toldTo[#toldTo + 1] = session
        end
        local some = told[session]
        some[#some + 1] = resource
    end
end

-- Ends sessions, by their places, and has all others ask again for what they lack.
local function finish(some)
    for _, i in ipairs(some) do
        texts[i] = ''
        if ends[i] > log then
            alive = alive - 1
        end
        spokeOf[bornAs[i]] = nil
        removed[#removed + 1] = 's:' .. ids[i]
        removed[#removed + 1] = 'h:' .. ids[i]
    end
    if #some > 0 then
        for i = 1, count do
            if texts[i] ~= '' and ends[i] > log then
                hint(ids[i], UNMET)
            end
        end
    end
end

local function publish()
    local denied = false
    for _, session in ipairs(toldTo) do
        local sent = redis.pcall('PUBLISH', key .. ':' .. session, packed(told[session]))
        denied = denied or type(sent) == 'table'
    end
    return denied
end

local function granted(grants)
    local answer = { 'OK', '', grants }
    for _, resource in ipairs(kept[me]) do
        answer[#answer + 1] = resource
    end
    if stored[3] then
        removed[#removed + 1] = 'h:' .. me
    end
    for _, session in ipairs(toldTo) do
        set('h:' .. session, packed(kept[session]))
    end
    set('n', table.concat(texts))
    leave()
    answer[2] = head(heartbeat and alive or 0, publish())
    return answer
end

if kind == 'CLOSE' then
    finish({ mine })
    return granted('')
end

-- ---- the session goes on

if not mine then
    count, births, alive = count + 1, births + 1, alive + 1
    mine = count
    ids[mine], bornAs[mine] = me, format('%.0f', births)
    set('s:' .. me, ARGV[10])
end
local born = bornAs[mine]
spokes[mine], ends[mine] = log, log + ofLease
spokeOf[born], idOf[born] = log, me
texts[mine] = me .. ' ' .. born .. ' ' .. ARGV[4] .. format(' %.0f %.0f %.0f;', log, real, ends[mine])

-- Returns told, spoke, since, granted, fell and hinted of the rest of an entry.
local function stamps(rest)
    local keeps, spoke, since, got, fell, hinted = match(rest, REST)
    if not keeps then
        return 0, NEVER, NEVER, NEVER, NEVER, NEVER
    end
    spoke = tonumber(spoke) or NEVER
    local base = spoke == NEVER and 0 or spoke
    since, got, fell, hinted = tonumber(since), tonumber(got), tonumber(fell), tonumber(hinted)
    return keeps + 0, spoke, since and base - since or NEVER, got and base - got or NEVER, fell and base - fell or NEVER,
        hinted and base - hinted or NEVER
end

local function isForgotten(rest)
    local _, spoke = stamps(rest)
    return log - spoke >= PLACE
end

-- Drops fields in which nobody has or wants some, and what is left of sessions that are over.
local function sweep()
    local page = call('HSCAN', key, cursor, 'COUNT', SWEEP)
    cursor = page[1]
    local live = {}
    for i = 1, count do
        live[ids[i]] = texts[i] ~= ''
    end
    for at = 1, #page[2], 2 do
        local field, text = page[2][at], page[2][at + 1]
        local of = sub(field, 1, 2)
        local used = true
        if of == 'g:' then
            used = false
            for _, birth, h, w, _, rest in gmatch(text, ENTRY) do
                if spokeOf[birth] and (h ~= '0' or w ~= '0' or not isForgotten(rest)) then
                    used = true
                    break
                end
            end
        elseif of == 's:' or of == 'h:' then
            used = live[sub(field, 3)]
        end
        if not used then
            removed[#removed + 1] = field
        end
    end
end

if heartbeat then
    local over = {}
    for i = 1, count do
        if ends[i] <= log then
            over[#over + 1] = i
        end
    end
    finish(over)
    sweep()
end

-- ---- division. Those who claim some, by their place; the last one is me.

local size, limit, free = 0, 0, 0
local sessions, having, needing = {}, {}, {}
local wholes, rests = {}, {} -- their texts, and what follows the numbers that are always needed
local keeping, speaking, waiting, getting, hinting = {}, {}, {}, {}, {}
local fair, later = {}, {} -- how much each is to have now, and after its turn

local function longestWaiting(a, b)
    if waiting[a] ~= waiting[b] then
        return waiting[a] < waiting[b]
    end
    return sessions[a] < sessions[b]
end

local function lastGranted(a, b)
    if getting[a] ~= getting[b] then
        return getting[a] > getting[b]
    end
    return sessions[a] < sessions[b]
end

local function lacks(i)
    return max(0, fair[i] - having[i])
end

local function share(scarce)
    local left, open = limit, {}
    for i = 1, size do
        open[i] = i
        fair[i], later[i] = needing[i], needing[i]
    end
    if not scarce then
        return
    end
    local before
    repeat
        before = #open
        local most, more = floor(left / before), {}
        for _, i in ipairs(open) do
            if needing[i] <= most then
                left = left - needing[i]
            else
                more[#more + 1] = i
            end
        end
        open = more
    until #open == before
    local level, rest = floor(left / before), left % before
    local waiters, holders = {}, {}
    for _, i in ipairs(open) do
        local list = having[i] > level and holders or waiters
        list[#list + 1] = i
    end
    table.sort(waiters, longestWaiting)
    table.sort(holders, lastGranted)
    local inTurn = 0
    while inTurn < #holders and log - getting[holders[inTurn + 1]] < TURN do
        inTurn = inTurn + 1
    end
    for i, one in ipairs(waiters) do
        fair[one] = inTurn + i <= rest and level + 1 or level
        later[one] = fair[one]
    end
    for i, one in ipairs(holders) do
        later[one] = #waiters + i <= rest and level + 1 or level
        fair[one] = later[one]
        if i <= inTurn then
            fair[one] = i <= rest and level + 1 or level
        end
    end
end

-- Returns how much of what is free is for me, after those who come first.
local function grant()
    local left = free
    for i = 1, size - 1 do
        if lacks(i) > 0 and longestWaiting(i, size) then
            left = left - lacks(i)
        end
    end
    return max(0, min(lacks(size), left))
end

local function get(more)
    if more > 0 then
        having[size], waiting[size], getting[size] = having[size] + more, log, log
        free = free - more
    end
end

-- Hints at a resource those for whom there is some, and those who are to give some back, or may need less than they said.
local function hintOthers(resource)
    local offered = {}
    if free > 0 then
        local line, left = {}, free
        for i = 1, size do
            if lacks(i) > 0 then
                line[#line + 1] = i
            end
        end
        table.sort(line, longestWaiting)
        for _, i in ipairs(line) do
            offered[i] = left > 0
            left = left - lacks(i)
        end
    end
    local lacking = needing[size] > having[size]
    for i = 1, size - 1 do
        local asked = min(having[i], later[i]) < keeping[i]
        local maybeOver = lacking and having[i] > 0 and log - speaking[i] >= PAUSE
        if log - hinting[i] >= PAUSE and (offered[i] or asked or maybeOver) then
            hint(sessions[i], resource)
            local base = speaking[i] == NEVER and 0 or speaking[i]
            wholes[i] = sub(wholes[i], 1, -#rests[i] - 2) .. match(rests[i], '^(.*) ') .. ' ' .. base - log .. ';'
        end
    end
end

-- Returns how much I am to keep after my turn, and how much of that is left.
local function divide(spare, resource)
    local total, needed, unmet = 0, 0, false
    for i = 1, size - 1 do
        total, needed = total + having[i], needed + needing[i]
        unmet = unmet or needing[i] > having[i]
    end
    total, needed = total + having[size], needed + needing[size]
    free = limit - total
    if not unmet and needed <= limit and free >= max(0, needing[size] - having[size]) then
        get(needing[size] - having[size])
        get(min(needing[size] + spare - having[size], free - size))
        return having[size], 0
    end
    for i = 1, size - 1 do
        keeping[i], speaking[i], waiting[i], getting[i], _, hinting[i] = stamps(rests[i])
    end
    share(needed > limit)
    local more = grant()
    if more > 0 then
        get(more)
        share(needed > limit)
    end
    hintOthers(resource)
    local keep = min(having[size], later[size])
    return keep, min(having[size], fair[size]) > keep and getting[size] + TURN - log or 0
end

-- ---- demands

local function ago(base, stamp)
    return stamp == NEVER and '-' or base - stamp
end

-- Speaks of what is counted for me at a resource; returns what there is for me.
local function speak(resource, statedHas, statedWant, spare, ofMine, text)
    local own, ownHas, ownWant = nil, 0, 0
    local length, least, places = 0, math.huge, ''
    size = 0
    for whole, birth, h, w, l, rest in gmatch(text, ENTRY) do
        length = length + #whole
        local spoke = spokeOf[birth]
        h, w, l = h + 0, w + 0, l + 0
        if birth == born then
            own, ownHas, ownWant = rest, h, w
        elseif spoke and h == 0 and w == 0 then
            places = isForgotten(rest) and places or places .. whole
        elseif spoke then
            size = size + 1
            sessions[size], having[size] = idOf[birth], h
            needing[size] = log - spoke >= silence and min(h, w) or w
            wholes[size], rests[size] = whole, rest
            least = min(least, l)
        end
    end
    if length ~= #text then
        own, ownHas, ownWant, size, least, places = nil, 0, 0, 0, math.huge, ''
    end

    local counted, want = statedHas + 0, statedWant + 0
    limit = size == 0 and ofMine + 0 or least
    if counted > 0 or want > 0 then
        limit = min(limit, ofMine + 0)
    end
    for i = 1, size do
        needing[i] = min(needing[i], limit)
    end

    local keep, spoke, since, got, fell = 0, NEVER, NEVER, NEVER, NEVER
    if own then
        keep, spoke, since, got, fell = stamps(own)
        if ownHas == 0 and ownWant == 0 and log - spoke >= PLACE then
            spoke, since, got, fell = NEVER, NEVER, NEVER, NEVER
        end
    end
    local waits, waited = want > counted, ownWant > ownHas
    if counted < ownHas or (waits and not waited and log - fell >= PLACE) then
        since = log
    end
    if counted > ownHas then
        got = log
    end
    if waits then
        fell = NEVER
    elseif waited then
        fell = log
    end
    if ownHas > 0 or ownWant > 0 or counted > 0 or want > 0 then
        spoke = log
    end

    size = size + 1
    sessions[size], having[size], needing[size], waiting[size], getting[size] = me, counted, min(want, limit), since, got
    local turn = 0
    if learning then
        keep = counted
    else
        keep, turn = divide(spare + 0, resource)
        counted = having[size]
    end

    local parts = {}
    for i = 1, size - 1 do
        parts[i] = wholes[i]
    end
    parts[size] = places
    if counted > 0 or want > 0 or log - spoke < PLACE then
        local base = spoke == NEVER and 0 or spoke
        parts[size + 1] = born .. ' ' .. counted .. ' ' .. statedWant .. ' ' .. ofMine .. ' ' .. keep .. ' '
            .. (spoke == NEVER and '-' or spoke) .. ' ' .. ago(base, waiting[size]) .. ' '
            .. ago(base, getting[size]) .. ' ' .. ago(base, fell) .. ' -;'
    end
    local written = table.concat(parts)
    if written ~= '' then
        set(resource, written)
    elseif text ~= '' then
        removed[#removed + 1] = resource
    end
    return counted .. ' ' .. keep .. ' ' .. turn .. ' ' .. limit
end

local grants = {}
for at = FIRST, #ARGV, EACH do
    local i = (at - FIRST) / EACH + 1
    local resource = ARGV[at]
    drop(resource)
    grants[i] = speak(resource, ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], stored[3 + i] or '')
end
return granted(table.concat(grants, ' '))
